import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { holdingNotices } from '../../notices/notify.ts';
import { type BulkOutcome, MAX_BULK_ROWS } from '../../schemas/bulk-change.ts';
import { change, tryingOut, type Work, writingAlso } from '../../table/change.ts';
import { hasValues } from '../../table/conditions.ts';
import type { StoredBulkChange, StoredBulkRow } from '../../table/entities/bulk-changes.ts';
import { Overtaken } from '../../table/job.ts';
import { keys } from '../../table/keys.ts';
import type { Listing } from '../../table/listing.ts';
import { getRow, queryRows, withoutKeys } from '../../table/rows.ts';
import { leaveSlot } from '../../table/slots.ts';
import type { BulkChangeTask } from '../../table/tasks.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { bulkChangeEvent, bulkJob, changesBetween, keyOf, KIND, ttlOf } from './job.ts';
import { standingRequester } from './requesters.ts';
import { type BulkTarget, type Shown, targetOf } from './targets.ts';
import { heldNotice, toldWrites } from './telling.ts';

/* What the worker of bulk changes does. */

/** A bulk change as its worker holds it, and who it is carried out as. */
interface Held {
  stored: StoredBulkChange;
  caller: Caller;
  target: BulkTarget;
}

/** Changes a bulk change in its worker's turn. */
const save = async (
  held: Held,
  changes: (work: Work) => Partial<StoredBulkChange>,
  also: (work: Work, next: StoredBulkChange) => Write[] = () => [],
): Promise<void> => {
  held.stored = await change(held.caller, (work) => {
    const set = { updated_at: work.now, ...changes(work) };
    return bulkJob.save(work, held.stored, set, ...also(work, { ...held.stored, ...set }));
  });
};

/** Ends it, or lets it wait for a request. Those whom its changes concern are told. */
const settle = (
  held: Held,
  status: 'planned' | 'stopped' | 'completed' | 'failed',
  error: string | null = null,
): Promise<void> => {
  const event = status === 'failed' ? 'stopped' : status;
  return save(
    held,
    ({ now }) => ({
      status,
      error,
      slot: null,
      leased_until: 0,
      next: 0,
      ended_at: status === 'completed' || status === 'failed' ? now : null,
      ...(status !== 'planned' && { round: held.stored.round + 1 }),
      ...(status === 'stopped' && { next: held.stored.next }),
    }),
    (work, next) => [
      ...leaveSlot(work, KIND, held.stored),
      ...(status === 'planned' ? [] : toldWrites(work, held.stored)),
      bulkChangeEvent(work, event, next),
    ],
  );
};

/* The plan */

const idsOf = async (found: Promise<Listing<{ id: string }>>): Promise<string[]> => {
  const listed = await found;
  const ids: string[] = [];
  const rows = 'page' in listed ? listed.page : listed.rows;
  for await (const { id } of rows) if (ids.push(id) > MAX_BULK_ROWS) break;
  return ids;
};

const TOO_MANY = `The filter finds more than ${MAX_BULK_ROWS} rows. Use a narrower one.`;

/** Finds the rows. @returns whether there are few enough */
const select = async (held: Held): Promise<boolean> => {
  const { caller, target, stored } = held;
  const ids = await idsOf(target.list(caller));
  if (ids.length > MAX_BULK_ROWS) {
    await settle(held, 'failed', TOO_MANY);
    return false;
  }
  await save(
    held,
    () => ({ is_selected: true, total: ids.length }),
    (work) => [write.put({ ids, ...keys.bulkSelected(work, stored.id), ttl: ttlOf(stored) })],
  );
  return true;
};

/** Why a row was not changed. @throws what says nothing about the row: an outage, another worker */
const refusal = (error: unknown): Pick<StoredBulkRow, 'code' | 'detail'> => {
  if (!(error instanceof ApiError) || error.status === 429 || error.status >= 500) throw error;
  return { code: error.code, detail: error.detail };
};

const isCode = (error: unknown, { code }: { code: string }): boolean =>
  error instanceof ApiError && error.code === code;

/** A position at which no row is ever. */
const NOWHERE = MAX_BULK_ROWS;

/** As many writes as those that are made with the change of a row: of the bulk change, and of its row. */
const roomOf = ({ stored, caller }: Held): Write[] =>
  [NOWHERE, NOWHERE + 1].map((position) => {
    const key = keys.bulkRow(caller, stored.id, position);
    return write.check(key);
  });

/** Who would be mailed for each row is told once for all. */
const quietly = <Result>({ stored }: Held, work: () => Promise<Result>): Promise<Result> =>
  holdingNotices((of, task) => heldNotice(of, stored, task), work);

/** What would become of a row. Undefined for one that is not there any more. */
const planned = async (held: Held, id: string, position: number): Promise<StoredBulkRow> => {
  const { caller, target } = held;
  const plan: StoredBulkRow = {
    position,
    resource_id: id,
    name: '',
    outcome: 'unchanged',
    changes: [],
    code: null,
    detail: null,
    version: 0,
    updated_at: new Date().toISOString(),
  };
  try {
    const row = await target.get(caller, id);
    Object.assign(plan, { name: target.nameOf(row), version: row.version });
    const single = target.on(row);
    if (!single) return plan;
    const { reply, isChanged } = await tryingOut(roomOf(held), () => quietly(held, () => single(caller)));
    if (!isChanged) return plan;
    return { ...plan, outcome: 'planned', changes: changesBetween(row, reply as Shown) };
  } catch (error) {
    // Somebody is changing it at this moment: it is looked at again.
    if (isCode(error, errors.versionMismatch)) return planned(held, id, position);
    return { ...plan, outcome: 'refused', ...refusal(error) };
  }
};

/** Rows that are planned in one transaction. */
const MAX_PLANNED = 10;

type Counted = Record<BulkOutcome, number>;

const countsAfter = (stored: Counted, outcomes: readonly BulkOutcome[]): Counted => {
  const counts = { ...stored };
  for (const outcome of outcomes) counts[outcome] += 1;
  const { planned: of, changed, unchanged, refused, outdated } = counts;
  return { planned: of, changed, unchanged, refused, outdated };
};

/** Plans rows until all are planned. @returns false at the deadline */
const planAll = async (held: Held, deadline: number): Promise<boolean> => {
  const { caller, stored } = held;
  const selected = await getRow(caller, keys.bulkSelected(caller, stored.id));
  const ids = selected?.ids ?? [];
  while (held.stored.next < ids.length) {
    if (Date.now() > deadline) return false;
    const { next } = held.stored;
    const rows: StoredBulkRow[] = [];
    for (const [offset, id] of ids.slice(next, next + MAX_PLANNED).entries())
      rows.push(await planned(held, id, next + offset));
    await save(
      held,
      () => ({
        ...countsAfter(
          held.stored,
          rows.map(({ outcome }) => outcome),
        ),
        next: next + rows.length,
      }),
      (work) =>
        rows.map((row) =>
          write.put({ ...row, ...keys.bulkRow(work, stored.id, row.position), ttl: ttlOf(stored) }),
        ),
    );
  }
  return true;
};

/* Its execution */

/** A row is not what the dry run has said. */
class Outdated extends Error {
  override name = 'Outdated';
}

const OUTDATED = 'It was changed since the dry run, so it stays as it is.';
const DELETED = 'It was deleted since the dry run.';

/** The writes that end a row, in the transaction of its change if there is one. */
const endOfRow = (
  work: Work,
  { stored }: Held,
  { position }: StoredBulkRow,
  outcome: Exclude<BulkOutcome, 'planned'>,
  why: Partial<Pick<StoredBulkRow, 'code' | 'detail'>> = {},
) => {
  const next = {
    ...countsAfter({ ...stored, planned: stored.planned - 1 }, [outcome]),
    next: position + 1,
    updated_at: work.now,
  };
  // Only the worker that holds the bulk change writes its rows.
  const row = write.update(
    keys.bulkRow(work, stored.id, position),
    { set: { outcome, updated_at: work.now, ...why } },
    hasValues({ outcome: 'planned' }),
  );
  return bulkJob.save(work, stored, next, row);
};

/** Ends a row that is not changed. */
const leave = async (held: Held, row: StoredBulkRow, ...how: EndOfRow): Promise<void> => {
  held.stored = await change(held.caller, (work) => endOfRow(work, held, row, ...how));
};
type EndOfRow = [
  outcome: Exclude<BulkOutcome, 'planned' | 'changed'>,
  why?: Partial<Pick<StoredBulkRow, 'code' | 'detail'>>,
];

/** Whether a row has become by itself what the dry run has said, such as an asset that moved with the one around it. */
const isSo = (now: Shown, { changes }: StoredBulkRow): boolean => {
  const values = now as unknown as Readonly<Record<string, unknown>>;
  return changes.every(({ field, to }) => isDeepStrictEqual(values[field], to));
};

/** Changes a row as the dry run has said. The transaction of the change says that it was made. */
const carryOut = async (held: Held, row: StoredBulkRow): Promise<void> => {
  const { caller, target } = held;
  let next: StoredBulkChange | undefined;
  try {
    const before = await target.get(caller, row.resource_id);
    const single = before.version === row.version ? target.on(before) : undefined;
    if (!single) {
      if (isSo(before, row)) await leave(held, row, 'unchanged');
      else await leave(held, row, 'outdated', { detail: OUTDATED });
      return;
    }
    const also = (reply: unknown, work: Work): Write[] => {
      if (!isDeepStrictEqual(changesBetween(before, reply as Shown), row.changes)) throw new Outdated();
      const end = endOfRow(work, held, row, 'changed');
      next = end.reply;
      return end.writes;
    };
    const { isChanged } = await writingAlso(also, () => quietly(held, () => single(caller)));
    if (isChanged) held.stored = next!;
    else await leave(held, row, 'unchanged');
  } catch (error) {
    if (next && (await isDone(held, row))) {
      // Its change is made. What follows from it, such as findings that move, has a task of its own.
      held.stored = next;
      return;
    }
    if (error instanceof Outdated || isCode(error, errors.versionMismatch))
      await leave(held, row, 'outdated', { detail: OUTDATED });
    else if (isCode(error, errors.notFound)) await leave(held, row, 'outdated', { detail: DELETED });
    else await leave(held, row, 'refused', refusal(error));
  }
};

/** Whether the change of a row was made, although something has failed then. */
const isDone = async ({ caller, stored }: Held, { position }: StoredBulkRow): Promise<boolean> =>
  (await getRow(caller, keys.bulkRow(caller, stored.id, position)))?.outcome === 'changed';

/** Changes rows until all are dealt with. @returns false at the deadline */
const carryAllOut = async (held: Held, deadline: number): Promise<boolean> => {
  const { caller, stored } = held;
  const { partition, prefix } = keys.parts(caller, KIND, stored.id, 'CHANGED');
  const after = stored.next === 0 ? undefined : keys.bulkRow(caller, stored.id, stored.next - 1).sk;
  for await (const row of queryRows(caller, { partition, prefix, after, where: { outcome: ['planned'] } })) {
    if (Date.now() > deadline) return false;
    await carryOut(held, withoutKeys(row));
  }
  return true;
};

/* Its turns */

const NOT_ALLOWED =
  'Who has requested it may not do this any more: the key was revoked, has expired or was limited, or the person has left, has another role, or does not let keys act for them.';

/** Works on it until it has ended, or waits for a request. @returns false at the deadline */
const goOn = async (held: Held, deadline: number): Promise<boolean> => {
  if (held.stored.status === 'planning') {
    if (!held.stored.is_selected && !(await select(held))) return true;
    if (!(await planAll(held, deadline))) return false;
    if (held.stored.dry_run) {
      await settle(held, 'planned');
      return true;
    }
    await save(
      held,
      () => ({ status: 'running', next: 0 }),
      (work, next) => [bulkChangeEvent(work, 'planned', next)],
    );
  }
  if (!(await carryAllOut(held, deadline))) return false;
  await settle(held, 'completed');
  return true;
};

/**
 * Takes a turn at a bulk change. At the deadline, the rest is left to another turn. It may be interrupted and repeated.
 * @param service of the organization
 * @param deadline epoch milliseconds
 * @throws Error for a failure that may pass, and while another worker holds it
 */
export const continueBulkChange = async (
  service: Caller,
  { bulk_change_id: id, handed_on }: BulkChangeTask,
  deadline: number,
): Promise<void> => {
  const taken = await change(service, async (work) =>
    bulkJob.take(work, await getRow(service, keyOf(service, id)), handed_on),
  );
  if (!taken) return;
  const caller = await standingRequester(service, taken);
  const held: Held = { stored: taken, caller: caller ?? service, target: targetOf(taken) };
  try {
    if (!caller) {
      await settle(held, 'failed', NOT_ALLOWED);
      return;
    }
    if (await goOn(held, deadline)) return;
    await change(service, (work) => bulkJob.handOn(work, held.stored));
  } catch (error) {
    // Somebody has stopped it, or another worker goes on.
    if (error instanceof Overtaken) return;
    // Whatever fails here, the lease ends by itself.
    await change(service, (work) => bulkJob.release(work, held.stored)).catch(() => undefined);
    throw error;
  }
};

const GIVEN_UP = 'It could not go on, although it was tried several times.';

/**
 * Stops a bulk change after the last attempt of its task, so that it can go on by a request; one that was not planned to
 * the end has failed. It may be repeated. One that another worker holds is left to it.
 * @param cause why the last attempt failed; undefined when its function may have crashed
 */
export const giveUpBulkChange = async (
  service: Caller,
  { bulk_change_id: id }: BulkChangeTask,
  cause?: unknown,
): Promise<void> => {
  if (cause instanceof Overtaken) return;
  const now = new Date().toISOString();
  const row = await getRow(service, keyOf(service, id));
  const stored = bulkJob.unended(row, cause === undefined ? now : undefined);
  if (!stored) return;
  const held: Held = { stored, caller: service, target: targetOf(stored) };
  await settle(held, stored.status === 'planning' ? 'failed' : 'stopped', GIVEN_UP);
};
