import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { timeAfter } from '../../base/time.ts';
import {
  BULK_CHANGE_DAYS,
  type BulkChange,
  type BulkChangeQuery,
  BulkChangeRow,
  type BulkChangeStep,
  type BulkRowQuery,
  type NewBulkChange,
} from '../../schemas/bulk-change.ts';
import { present } from '../../schemas/projection.ts';
import { change, type Decision, type Work } from '../../table/change.ts';
import type { StoredBulkChange } from '../../table/entities/bulk-changes.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listRows } from '../../table/listing.ts';
import { getRow, withoutKeys } from '../../table/rows.ts';
import { leaveSlot, takeSlot } from '../../table/slots.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import {
  bulkChangeEvent,
  bulkJob,
  bulkTask,
  isAtWork,
  keyOf,
  KIND,
  NOUN,
  toBulkChange,
  ttlOf,
} from './job.ts';
import { expectMay, expectRequester, expectSeesRows, requesterOf } from './requesters.ts';
import { targetOf } from './targets.ts';
import { toldWrites } from './telling.ts';

/*
 *   planning --> planned --> running --> completed
 *      |            |        |    ^
 *      |            |        v    |
 *      |            |       stopped
 *      v            v          |
 *   cancelled, failed <--------+
 *
 * A worker finds the rows once, and then tries the change out on each: what it would do, or why not. Carried out is what
 * was found so, and no more. Each row is changed in one transaction that also says so in its own row below the bulk
 * change, so that it is changed once.
 */

const read = async (caller: Caller, id: string): Promise<StoredBulkChange> => {
  const row = await getRow(caller, keyOf(caller, id));
  if (!row) throw errors.notFound(NOUN);
  return withoutKeys(row);
};

/**
 * Requests a bulk change. A worker plans it.
 * @throws ApiError 403 for who may not use the operation for a single row; 429 when as many wait or run as may
 */
export const create = async (
  caller: Caller,
  { resource, filter, action, dry_run }: NewBulkChange,
): Promise<BulkChange> => {
  expectMay(caller, targetOf({ resource, filter, action }));
  return change(caller, async (work) => {
    const { now } = work;
    const id = uuidv7({ msecs: Date.parse(now) });
    const key = keyOf(work, id);
    const { slot, writes } = await takeSlot(work, KIND, key);
    const stored: StoredBulkChange = {
      id,
      created_at: now,
      updated_at: now,
      resource,
      // What was left out is no attribute of the row.
      filter: JSON.parse(JSON.stringify(filter)) as StoredBulkChange['filter'],
      action: JSON.parse(JSON.stringify(action)) as StoredBulkChange['action'],
      dry_run,
      status: 'planning',
      total: 0,
      planned: 0,
      changed: 0,
      unchanged: 0,
      refused: 0,
      outdated: 0,
      error: null,
      requested_by: work.user_id,
      requester: requesterOf(work),
      ended_at: null,
      expires_at: timeAfter(now, BULK_CHANGE_DAYS * 86_400_000),
      is_selected: false,
      next: 0,
      round: 0,
      turn: 0,
      leased_until: 0,
      handed_on: 0,
      slot,
    };
    return {
      writes: [
        write.create({ ...stored, ...key, ttl: ttlOf(stored) }),
        ...writes,
        bulkTask(work, stored),
        bulkChangeEvent(work, 'created', stored),
      ],
      reply: toBulkChange(stored),
    };
  });
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<BulkChange> =>
  toBulkChange(await read(caller, id));

/** Newest first. @throws ApiError 422 for a cursor of another list */
export const list = (caller: Caller, query: BulkChangeQuery): Promise<Listing<BulkChange>> =>
  listRows(
    caller,
    NOUN,
    query,
    { partition: keys.all(caller, KIND), where: { status: query.status }, newestFirst: true },
    toBulkChange,
  );

/**
 * What became of each row, in the order of the list.
 * @throws ApiError 404; 403 for a key that may not read such rows; 422 for a cursor of another list
 */
export const listChanged = (
  caller: Caller,
  id: string,
  query: BulkRowQuery,
): Promise<Listing<BulkChangeRow>> =>
  listRows(
    caller,
    `${NOUN} ${id}`,
    query,
    { ...keys.parts(caller, KIND, id, 'CHANGED'), where: { outcome: query.outcome } },
    (row) => present(BulkChangeRow, row),
    async () => expectSeesRows(caller, targetOf(await read(caller, id))),
  );

/* Its steps */

type Wanted = BulkChangeStep['status'];

/** From which statuses a request leads where. */
const FROM: Readonly<Record<Wanted, readonly StoredBulkChange['status'][]>> = {
  running: ['planned', 'stopped'],
  stopped: ['running'],
  cancelled: ['planning', 'planned', 'running', 'stopped'],
};

/** A change by a request. When its worker takes another turn meanwhile, the change is decided again. */
const changed = (
  work: Work,
  stored: StoredBulkChange,
  changes: Partial<StoredBulkChange>,
  ...also: Write[]
): Decision<BulkChange> => {
  const set = { ...changes, leased_until: 0, updated_at: work.now };
  return {
    writes: [write.update(keyOf(work, stored.id), { set }, bulkJob.isKnown(stored)), ...also],
    reply: toBulkChange({ ...stored, ...set }),
  };
};

/** Carries it out, or goes on. It takes a slot again. */
const begin = async (work: Work, stored: StoredBulkChange): Promise<Decision<BulkChange>> => {
  const { slot, writes } = await takeSlot(work, KIND, keyOf(work, stored.id));
  const next = { status: 'running' as const, error: null, slot, handed_on: stored.handed_on + 1 };
  return changed(
    work,
    stored,
    next,
    ...writes,
    bulkTask(work, { ...stored, ...next }),
    bulkChangeEvent(work, 'started', { ...stored, ...next, updated_at: work.now }),
  );
};

/** Stops or cancels it. Its worker changes no further row, and those whom the changes so far concern are told. */
const halt = (
  work: Work,
  stored: StoredBulkChange,
  status: 'stopped' | 'cancelled',
): Decision<BulkChange> => {
  const next = {
    status,
    slot: null,
    round: stored.round + 1,
    ended_at: status === 'cancelled' ? work.now : null,
  };
  return changed(
    work,
    stored,
    next,
    ...(isAtWork(stored) ? leaveSlot(work, KIND, stored) : []),
    ...toldWrites(work, stored),
    bulkChangeEvent(work, 'stopped', { ...stored, ...next, updated_at: work.now }),
  );
};

/**
 * Carries a planned bulk change out, stops it, lets it go on, or cancels it. A request that asks for what is so changes
 * nothing.
 * @throws ApiError 404; 403 when somebody else than who has requested it wants to carry it out; 409 for a status that
 *   does not lead there; 429 when as many wait or run as may
 */
export const step = (caller: Caller, id: string, { status: wanted }: BulkChangeStep): Promise<BulkChange> =>
  change<BulkChange>(caller, async (work) => {
    const stored = await read(work, id);
    if (wanted === 'running') expectRequester(work, stored);
    if (stored.status === wanted) return { writes: [], reply: toBulkChange(stored) };
    if (!FROM[wanted].includes(stored.status)) throw errors.bulkChangeStatus(stored.status, wanted);
    if (wanted === 'running') expectMay(work, targetOf(stored));
    return wanted === 'running' ? begin(work, stored) : halt(work, stored, wanted);
  });
