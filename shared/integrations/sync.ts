import type { Caller } from '../base/caller.ts';
import { logSync } from '../base/log.ts';
import { MAX_SOURCE_ROWS } from '../domain/integrations/known-rows.ts';
import { planOf } from '../domain/integrations/mappings.ts';
import { nextDayAt, nextSyncAt, scheduleWarning } from '../domain/integrations/schedule.ts';
import { decryptCredential } from './connect.ts';
import * as connections from './rows/connections.ts';
import * as runs from './rows/runs.ts';
import type { RunOutcome, HeldRun } from './rows/runs.ts';
import { deactivateMissing, rowsBefore } from './rows/synced-rows.ts';
import { newLookups } from './rows/targets.ts';
import { pagesOf, type SourcePage, type SyncTurn, takePage, TooManyRows } from './source-pages.ts';
import { type Failure, VendorError } from './vendor.ts';
import { vendorOf } from './vendors.ts';

/** How long a worker waits at once when the vendor asks for a pause, in seconds. For a longer one, the task waits. */
const MAX_WAIT_SECONDS = 20;

/** The longest delay of a task, in seconds (Amazon SQS quotas). */
const MAX_DELAY_SECONDS = 900;

/** How often one run may read from the first page, because its cursor has expired or its source was changed. */
const MAX_READINGS = 10;

/** A run of a source with at least this many rows stops before it deactivates more than this share of them. */
const GUARDED_ROWS = 20;
const MAX_MISSING_SHARE = 0.5;

const UNFIT = {
  code: 'mapping_invalid',
  message: 'The board no longer has the columns that the source names. Change the mappings.',
};

const TOO_MANY = `The source has more than ${MAX_SOURCE_ROWS.toLocaleString('en')} rows, the maximum. Choose some groups of the board, or split it.`;

/** What is left of a run after a worker's turn. */
type Rest = 'nothing' | 'more' | 'all again';

const beginTurn = async (caller: Caller, held: HeldRun): Promise<SyncTurn> => {
  const { source, connection } = held;
  const vendor = vendorOf(source.vendor);
  const credential = await decryptCredential(caller, connection.id, connection.credential);
  const session = vendor.open(credential, { max_wait_seconds: MAX_WAIT_SECONDS });
  const rows = await rowsBefore(caller, held);
  for await (const [mark, item] of runs.seenRows(caller, held)) rows.known.see(mark, item);
  return { caller, held, vendor, session, rows, lookups: newLookups(caller), notedCalls: 0 };
};

const callsOf = ({ held, session, notedCalls }: SyncTurn): number =>
  held.run.calls + session.calls - notedCalls;

/** Ends a run whose rows are all written. */
const end = async (turn: SyncTurn, stopped?: RunOutcome['error']): Promise<void> => {
  const { caller, held, vendor, rows } = turn;
  const { run, source } = held;
  const counts = { ...run.counts, deactivated: rows.gone };
  const calls = callsOf(turn);
  const error =
    stopped ??
    (run.has_gaps
      ? { code: 'incomplete', message: 'The vendor left something out, so nothing was deactivated.' }
      : counts.failed > 0
        ? { code: 'items_failed', message: `${counts.failed} items failed. See the errors.` }
        : undefined);
  await finish(caller, held, {
    status: error ? 'partial' : 'succeeded',
    ...(error && { error }),
    isLasting: stopped !== undefined,
    counts,
    calls,
    whole: {
      rows_count: rows.known.active,
      warning: scheduleWarning(source.schedule_minutes, calls, vendor.calls_per_day),
    },
    next_sync_at: nextSyncAt(source.schedule_minutes, Date.parse(run.started_at!), Date.now()),
  });
};

/** Deactivates the rows that were on no page, if all pages were read without gaps. Then ends the run. */
const settleMissing = async (turn: SyncTurn, deadline: number): Promise<Rest> => {
  const { caller, held, rows, lookups } = turn;
  const { run, source } = held;
  if (run.has_gaps || source.on_missing === 'keep') {
    await end(turn);
    return 'nothing';
  }
  // A repeated turn also counts the rows that the turn before it has deactivated.
  const total = rows.known.active + rows.gone;
  const missing = rows.known.missing + rows.gone;
  const most = Math.floor(total * MAX_MISSING_SHARE);
  if (total >= GUARDED_ROWS && missing > most && !run.allow_mass_deactivation) {
    const message = `${missing} of ${total} rows are missing at the vendor. Nothing was deactivated. Check the board, then sync with allow_mass_deactivation.`;
    await end(turn, { code: 'mass_deactivation', message });
    return 'nothing';
  }
  if (rows.known.missing > 0 && !(await deactivateMissing(caller, held, rows, lookups, deadline))) {
    return 'more';
  }
  await end(turn);
  return 'nothing';
};

/** Reads and writes page by page, then deactivates the missing rows. */
const doTurn = async (turn: SyncTurn, deadline: number): Promise<Rest> => {
  const { caller, held, session } = turn;
  const { run, source } = held;
  if (!run.is_read) {
    const columns =
      source.board_id === null
        ? []
        : source.level === 'subitem'
          ? await session.subitemColumns(source.board_id)
          : await session.columns(source.board_id);
    const plan = source.board_id === null ? null : planOf(source, columns);
    if (plan === undefined) {
      await finish(caller, held, {
        status: 'failed',
        error: UNFIT,
        isLasting: true,
        calls: callsOf(turn),
      });
      return 'nothing';
    }
    const pages: AsyncIterable<SourcePage> = pagesOf(turn, plan, run.cursor);
    for await (const page of pages) {
      await takePage(turn, page);
      if (page.next !== null && Date.now() > deadline) return 'more';
    }
  }
  return settleMissing(turn, deadline);
};

/** Ends a run, and logs how. */
const finish: typeof runs.finish = async (caller, held, outcome) => {
  await runs.finish(caller, held, outcome);
  const { id: run_id, source_id } = held.run;
  logSync({ org_id: caller.org_id, source_id, run_id, status: outcome.status });
};

/** Ends a run as failed, until somebody acts. */
const fail = (caller: Caller, held: HeldRun, code: string, message: string, calls: number) =>
  finish(caller, held, {
    status: 'failed',
    error: { code, message },
    isLasting: true,
    calls,
    next_sync_at: nextSyncAt(held.source.schedule_minutes, Date.now(), Date.now()),
  });

/** Ends or postpones a run after a failure of the vendor. @throws the failure when the task must be tried again */
const afterFailure = async (turn: SyncTurn, error: VendorError): Promise<Rest> => {
  const { caller, held } = turn;
  const { run, connection } = held;
  const failure: Failure = error.failure;
  const calls = callsOf(turn);
  switch (failure.kind) {
    case 'cursor_expired':
      return 'all again';
    case 'unauthorized': {
      const problem = { code: 'unauthorized', message: error.message, at: new Date().toISOString() };
      const isCurrent = await connections.noteRefused(caller, connection.id, connection.credential, problem);
      if (!isCurrent) return 'all again';
      await fail(caller, held, 'unauthorized', error.message, calls);
      return 'nothing';
    }
    case 'not_found':
      await fail(caller, held, 'board_not_found', error.message, calls);
      return 'nothing';
    case 'refused':
      await fail(caller, held, 'refused', error.message, calls);
      return 'nothing';
    case 'limited':
      if (failure.is_daily) {
        const next_sync_at = nextDayAt(Date.now());
        const limit = { code: 'daily_limit', message: error.message };
        await finish(caller, held, { status: 'partial', error: limit, calls, next_sync_at });
        return 'nothing';
      }
      if (Date.now() > Date.parse(run.created_at) + runs.MAX_RUN_MS) {
        await fail(caller, held, 'limited', error.message, calls);
        return 'nothing';
      }
      await runs.release(caller, held, Math.min(Math.ceil(failure.retry_in_seconds), MAX_DELAY_SECONDS));
      return 'nothing';
    case 'outage':
      throw error;
  }
};

/** One turn, and what follows when it fails. */
const tryTurn = async (turn: SyncTurn, deadline: number): Promise<Rest> => {
  try {
    return await doTurn(turn, deadline);
  } catch (error) {
    if (runs.isChanged(error)) return 'all again';
    if (error instanceof VendorError) return afterFailure(turn, error);
    if (!(error instanceof TooManyRows)) throw error;
    await fail(turn.caller, turn.held, 'too_many_rows', TOO_MANY, callsOf(turn));
    return 'nothing';
  }
};

/**
 * A worker's turn at a sync: it reads the source page by page, and writes the new and changed rows. At the deadline it
 * leaves the rest to another turn. It may be interrupted at any point and repeated.
 * @param deadline epoch milliseconds
 * @param handedOn the task's count; any task where left out
 * @throws Error for a failure that may pass, and while another worker holds the run
 */
export const continueSync = async (
  caller: Caller,
  sourceId: string,
  runId: string,
  deadline: number,
  handedOn?: number,
): Promise<void> => {
  let held = await runs.begin(caller, sourceId, runId, handedOn);
  try {
    while (held) {
      const rest: Rest = await tryTurn(await beginTurn(caller, held), deadline);
      if (rest === 'nothing') return;
      if (rest === 'more') return await runs.release(caller, held, 0);
      if (held.run.reading >= MAX_READINGS) {
        const message = 'The board could not be read to its end, although it was tried several times.';
        return await fail(caller, held, 'unreadable', message, held.run.calls);
      }
      held = await runs.readAgain(caller, held);
    }
  } catch (error) {
    // If this fails as well, the lease ends by itself.
    if (held) await runs.release(caller, held).catch(() => undefined);
    throw error;
  }
};

/**
 * Ends a run as failed after the last attempt of its task, unless another worker holds the run. It may be repeated.
 * @param cause why the last attempt failed; undefined when its function may have crashed
 */
export const giveUpSync = async (
  caller: Caller,
  sourceId: string,
  runId: string,
  cause?: unknown,
): Promise<void> => {
  if (runs.isHeld(cause)) return;
  const now = new Date().toISOString();
  const held = await runs.unended(caller, sourceId, runId, cause === undefined ? now : undefined);
  if (!held) return;
  const { schedule_minutes = null } = held.source ?? {};
  await finish(caller, held, {
    status: 'failed',
    error: { ...runs.NOT_COMPLETED, ...(cause instanceof VendorError && { message: cause.message }) },
    next_sync_at: nextSyncAt(schedule_minutes, Date.now(), Date.now()),
  });
};
