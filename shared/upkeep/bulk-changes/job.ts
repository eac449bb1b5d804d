import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { keptFrom } from '../../base/time.ts';
import { BULK_CHANGE_DAYS, BulkChange, type FieldChange } from '../../schemas/bulk-change.ts';
import type { Happening } from '../../schemas/event-data.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import type { Work } from '../../table/change.ts';
import type { StoredBulkChange } from '../../table/entities/bulk-changes.ts';
import { job, Overtaken } from '../../table/job.ts';
import { type Key, keys } from '../../table/keys.ts';
import { emit, enqueue } from '../../table/outbox/outbox.ts';
import type { Write } from '../../table/writes.ts';

export const KIND = 'BULK_CHANGE';
export const NOUN = 'bulk change';

/**
 * How long a worker holds a bulk change, in milliseconds: as long as it works on a task (`inTime`), but shorter than the
 * time after which a crashed function's task is delivered again. A slower worker has lost it.
 */
const LEASE_MS = 60_000;

export const keyOf = (caller: Caller, id: string): Key<StoredBulkChange> => keys.one(caller, KIND, id);

/** How long a bulk change and its rows are kept, as they store it. */
export const ttlOf = ({ created_at }: Pick<StoredBulkChange, 'created_at'>): number =>
  keptFrom(created_at, BULK_CHANGE_DAYS * 86_400);

/** A bulk change as it is sent to clients. */
export const toBulkChange = (stored: StoredBulkChange): Presented<BulkChange> =>
  present(BulkChange, stored, { acted_via_key_id: stored.requester.acted_via_key_id ?? null });

export const bulkTask = (work: Work, { id, handed_on }: StoredBulkChange): Write =>
  enqueue(work, 'cleanup', { bulk_change_id: id, handed_on });

export const bulkChangeEvent = (
  work: Work,
  what: Happening<'bulk_change'>,
  stored: StoredBulkChange,
): Write => emit(work, `bulk_change.${what}`, toBulkChange(stored));

/** A worker has something to do only while it is planned or carried out. */
export const isAtWork = ({ status }: Pick<StoredBulkChange, 'status'>): boolean =>
  status === 'planning' || status === 'running';

export const bulkJob = job<StoredBulkChange>({
  key: (caller, { id }) => keyOf(caller, id),
  hasEnded: (stored) => !isAtWork(stored),
  guard: ['turn', 'status'],
  begun: ({ turn }) => ({ turn: turn + 1 }),
  lease: LEASE_MS,
  task: bulkTask,
  lost: ({ id }) => new Overtaken(`the bulk change ${id} was stopped, or another worker has it`),
});

/**
 * What follows from time, or from the change itself: two changes of one row at two times differ by these. The link of a
 * contact and the names that something keeps are made anew each time.
 */
const FOLLOWING: ReadonlySet<string> = new Set([
  'version',
  'updated_at',
  'is_overdue',
  'is_missed',
  'contact_link',
  'names_then',
]);

/** A value without the time of the change. */
const timeless = (value: unknown, now: string): unknown => {
  if (value === now) return null;
  if (Array.isArray(value)) return value.map((each) => timeless(each, now));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => [name, timeless(each, now)]),
  );
};

/** What of a row is another value after a change than before, as it is stored. */
export const changesBetween = (before: object, after: object & { updated_at: string }): FieldChange[] => {
  const known = before as Readonly<Record<string, unknown>>;
  return Object.entries(after).flatMap(([field, value]) => {
    if (FOLLOWING.has(field) || !(field in known) || value === after.updated_at) return [];
    const from = timeless(known[field], '');
    const to = timeless(value, after.updated_at);
    return isDeepStrictEqual(from, to) ? [] : [{ field, from: from ?? null, to: to ?? null }];
  });
};
