import type { Caller } from '../base/caller.ts';
import * as connections from '../db/integrations/connections.ts';
import { deactivateMissing, rowsBefore } from '../db/integrations/rows.ts';
import * as runs from '../db/integrations/runs.ts';
import type { Outcome, SyncWork } from '../db/integrations/runs.ts';
import { newLookups } from '../db/integrations/targets/lookups.ts';
import { MAX_SOURCE_ROWS } from '../domain/integrations/known-rows.ts';
import { planOf } from '../domain/integrations/mappings.ts';
import { nextDayAt, nextSyncAt, scheduleWarning } from '../domain/integrations/schedule.ts';
import { decryptCredential } from './credentials.ts';
import { pagesOf, type SourcePage } from './source-pages.ts';
import { type SyncTurn, takePage, TooManyRows } from './take-page.ts';
import { type Failure, VendorError } from './vendor.ts';
import { vendorOf } from './vendors.ts';

/** How long a worker waits for the vendor at once, in seconds. A longer pause is spent in the queue. */
const MAX_WAIT_SECONDS = 20;

/** The longest delay of a task, in seconds (Amazon SQS quotas). */
const MAX_DELAY_SECONDS = 900;

/** How often one run begins to read again, because its cursor has expired or its source was changed. */
const MAX_READINGS = 10;

/** How long a run may take, pauses included, in milliseconds. */
const MAX_RUN_MS = 86_400_000;

/** Rows of a source from which on a mass deactivation is stopped, and how many of them it may deactivate. */
const GUARDED_ROWS = 20;
const MAX_MISSING_SHARE = 0.5;

const UNFIT = {
  code: 'mapping_invalid',
  message: 'The board no longer has the columns that the source names. Change the mappings.',
};

const TOO_MANY = `The source has more than ${MAX_SOURCE_ROWS.toLocaleString('en')} rows, the maximum. Choose some groups of the board, or split it.`;

/** What is left of a run after a turn of its worker. */
type Rest = 'nothing' | 'more' | 'all again';

const beginTurn = async (caller: Caller, work: SyncWork): Promise<SyncTurn> => {
  const { source, connection } = work;
  const vendor = vendorOf(source.vendor);
  const credential = await decryptCredential(caller, connection.id, connection.credential);
  const session = vendor.open(credential, { max_wait_seconds: MAX_WAIT_SECONDS });
  const rows = await rowsBefore(caller, work);
  for await (const [mark, item] of runs.seenRows(caller, work)) rows.known.see(mark, item);
  return { caller, work, vendor, session, rows, lookups: newLookups(caller), notedCalls: 0 };
};

const callsOf = ({ work, session, notedCalls }: SyncTurn): number =>
  work.run.calls + session.calls - notedCalls;

/** Ends a run whose rows are all written. */
const end = async (turn: SyncTurn, stopped?: Outcome['error']): Promise<void> => {
  const { caller, work, vendor, rows } = turn;
  const { run, source } = work;
  const counts = { ...run.counts, deactivated: rows.gone };
  const calls = callsOf(turn);
  const error =
    stopped ??
    (run.has_gaps
      ? { code: 'incomplete', message: 'The vendor left something out, so nothing was deactivated.' }
      : counts.failed > 0
        ? { code: 'items_failed', message: `${counts.failed} items failed. See the errors.` }
        : undefined);
  await runs.finish(caller, work, {
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

/** Deactivates what was on no page, once all pages were read without gaps. */
const settleMissing = async (turn: SyncTurn, deadline: number): Promise<Rest> => {
  const { caller, work, rows, lookups } = turn;
  const { run, source } = work;
  if (run.has_gaps || source.on_missing === 'keep') {
    await end(turn);
    return 'nothing';
  }
  // A repeated turn counts what the one before it has deactivated.
  const total = rows.known.active + rows.gone;
  const missing = rows.known.missing + rows.gone;
  const most = Math.floor(total * MAX_MISSING_SHARE);
  if (total >= GUARDED_ROWS && missing > most && !run.allow_mass_deactivation) {
    const message = `${missing} of ${total} rows are missing at the vendor. Nothing was deactivated. Check the board, then sync with allow_mass_deactivation.`;
    await end(turn, { code: 'mass_deactivation', message });
    return 'nothing';
  }
  if (rows.known.missing > 0 && !(await deactivateMissing(caller, work, rows, lookups, deadline))) {
    return 'more';
  }
  await end(turn);
  return 'nothing';
};

/** Reads and writes page by page, then deactivates what is missing. */
const doTurn = async (turn: SyncTurn, deadline: number): Promise<Rest> => {
  const { caller, work, session } = turn;
  const { run, source } = work;
  if (!run.is_read) {
    const columns =
      source.board_id === null
        ? []
        : source.level === 'subitem'
          ? await session.subitemColumns(source.board_id)
          : await session.columns(source.board_id);
    const plan = source.board_id === null ? null : planOf(source, columns);
    if (plan === undefined) {
      await runs.finish(caller, work, {
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

const lasting = (caller: Caller, work: SyncWork, code: string, message: string, calls: number) =>
  runs.finish(caller, work, {
    status: 'failed',
    error: { code, message },
    isLasting: true,
    calls,
    next_sync_at: nextSyncAt(work.source.schedule_minutes, Date.now(), Date.now()),
  });

/** What a failure of the vendor means for the run. @throws the failure, where the task is to be tried again */
const afterFailure = async (turn: SyncTurn, error: VendorError): Promise<Rest> => {
  const { caller, work } = turn;
  const { run, connection } = work;
  const failure: Failure = error.failure;
  const calls = callsOf(turn);
  switch (failure.kind) {
    case 'cursor_expired':
      return 'all again';
    case 'unauthorized': {
      const problem = { code: 'unauthorized', message: error.message, at: new Date().toISOString() };
      await connections.noteRefused(caller, connection.id, connection.credential, problem);
      await lasting(caller, work, 'unauthorized', error.message, calls);
      return 'nothing';
    }
    case 'not_found':
      await lasting(caller, work, 'board_not_found', error.message, calls);
      return 'nothing';
    case 'refused':
      await lasting(caller, work, 'refused', error.message, calls);
      return 'nothing';
    case 'limited':
      if (failure.is_daily) {
        const next_sync_at = nextDayAt(Date.now());
        const limit = { code: 'daily_limit', message: error.message };
        await runs.finish(caller, work, { status: 'partial', error: limit, calls, next_sync_at });
        return 'nothing';
      }
      if (Date.now() > Date.parse(run.created_at) + MAX_RUN_MS) {
        await lasting(caller, work, 'limited', error.message, calls);
        return 'nothing';
      }
      await runs.release(caller, work, Math.min(Math.ceil(failure.retry_in_seconds), MAX_DELAY_SECONDS));
      return 'nothing';
    case 'outage':
      throw error;
  }
};

/** One turn, whatever happens in it. */
const tryTurn = async (turn: SyncTurn, deadline: number): Promise<Rest> => {
  try {
    return await doTurn(turn, deadline);
  } catch (error) {
    if (runs.isChanged(error)) return 'all again';
    if (error instanceof VendorError) return afterFailure(turn, error);
    if (!(error instanceof TooManyRows)) throw error;
    await lasting(turn.caller, turn.work, 'too_many_rows', TOO_MANY, callsOf(turn));
    return 'nothing';
  }
};

/**
 * Takes a turn at a sync: reads the source page by page, and writes what is new or has changed. What is left at the
 * deadline is for another turn. It may be interrupted at any point and repeated.
 * @param deadline epoch milliseconds
 * @param handedOn of the task; without it, whatever was handed on
 * @throws Error for a failure that may pass, and while another worker holds the run
 */
export const continueSync = async (
  caller: Caller,
  sourceId: string,
  runId: string,
  deadline: number,
  handedOn?: number,
): Promise<void> => {
  let work = await runs.begin(caller, sourceId, runId, handedOn);
  try {
    while (work) {
      const rest: Rest = await tryTurn(await beginTurn(caller, work), deadline);
      if (rest === 'nothing') return;
      if (rest === 'more') return await runs.release(caller, work, 0);
      if (work.run.reading >= MAX_READINGS) {
        const message = 'The board could not be read to its end, although it was tried several times.';
        return await lasting(caller, work, 'unreadable', message, work.run.calls);
      }
      work = await runs.beginAgain(caller, work);
    }
  } catch (error) {
    // Whatever fails here, the lease ends by itself.
    if (work) await runs.release(caller, work).catch(() => undefined);
    throw error;
  }
};

/**
 * Marks a run as failed after the last attempt of its task. It may be repeated. One that another worker does is left to
 * that worker.
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
  const work = await runs.unended(caller, sourceId, runId, cause === undefined ? now : undefined);
  if (!work) return;
  const message =
    cause instanceof VendorError
      ? cause.message
      : 'The sync could not be completed, although it was tried several times.';
  const { schedule_minutes = null } = work.source ?? {};
  await runs.finish(caller, work, {
    status: 'failed',
    error: { code: 'unavailable', message },
    next_sync_at: nextSyncAt(schedule_minutes, Date.now(), Date.now()),
  });
};
