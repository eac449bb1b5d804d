import { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import { ITEM_LENGTH, KnownRows, MARK_LENGTH } from '../../domain/integrations/known-rows.ts';
import type { SyncedRow } from '../../domain/integrations/synced-row.ts';
import type { RunError } from '../../schemas/integrations/run.ts';
import type { TargetRef } from '../../schemas/integrations/source.ts';
import { change, type Work } from '../../table/change.ts';
import type { StoredSource, SyncedItem } from '../../table/entities/integrations.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import { getRows, queryRows, type Row, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { combineCounts, type Write } from '../../table/writes.ts';
import { checkHeld, type HeldRun, isChanged, isHeld } from './runs.ts';
import {
  candidates,
  clientAccounts,
  locations,
  type Lookups,
  options,
  RowRefused,
  type SyncTarget,
} from './targets.ts';

/** Each target reads resources by its own keys, so it gets only resources of its own kind. */
const TARGETS = { locations, client_accounts: clientAccounts, members: candidates, response_sets: options };

const targetOf = ({ target_ref }: { target_ref: TargetRef }) =>
  TARGETS[target_ref] as unknown as SyncTarget<object>;

/** Further writes of a transaction that writes or deactivates rows of a source. */
const writtenWith = (work: Work, source: StoredSource): Write[] =>
  targetOf(source).writtenWith?.(work, source.id) ?? [];

/** The key of a synced row's resource; undefined for options, which have no row of their own. */
export const resourceKey = (caller: Caller, target_ref: TargetRef, resourceId: string): Key | undefined =>
  targetOf({ target_ref }).keyOf(caller, resourceId);

/** A row's short name in the lists of known and seen rows: the start of its external id's hash, in hexadecimal. */
export const markOf = (externalId: string): string => sha256(externalId).slice(0, MARK_LENGTH);

const markOfKey = ({ sk }: Key): string => sk.slice('ROW#'.length, 'ROW#'.length + MARK_LENGTH);

/** An item's short name in these lists: a number made from the hash of its id. */
export const numberOfItem = (itemId: string): number =>
  Number.parseInt(sha256(itemId).slice(0, ITEM_LENGTH), 16);

/** The rows of a source when a worker takes its run. */
export interface RowsBefore {
  known: KnownRows;
  /** How many rows the run has deactivated before. */
  gone: number;
}

/**
 * The rows that a source has brought. One call per megabyte, which is some 4,000 rows: reading them by their keys would
 * take forty times as many calls.
 */
export const rowsBefore = async (caller: Caller, { source, run }: HeldRun): Promise<RowsBefore> => {
  const known = new KnownRows();
  let gone = 0;
  for await (const row of queryRows(caller, {
    ...keys.parts(caller, 'SOURCE', source.id, 'ROW'),
    only: ['item_id', 'hash', 'is_active', 'run_id', 'outcome'],
  })) {
    const { item_id, hash, is_active, run_id, outcome } = row;
    const done = run_id === run.id ? outcome : null;
    if (done === 'deactivated') gone += 1;
    else if (is_active) known.store(markOfKey(row), hash, numberOfItem(item_id), done);
  }
  return { known, gone };
};

/** A row that was written. */
export type WrittenRow = Pick<SyncedItem, 'external_id' | 'item_id' | 'hash'> & {
  outcome: 'created' | 'updated';
};

/** What came of writing a row. */
export type RowOutcome = { written: WrittenRow } | { error: RunError };

/** A row that is new or has changed, and the same row as it is stored. */
interface RowChange {
  row: SyncedRow;
  stored: SyncedItem | undefined;
}

const standingRows = (caller: Caller, source: StoredSource, ids: readonly (string | undefined)[]) => {
  const target = targetOf(source);
  return getRows(
    caller,
    ids.map((id) => (id === undefined ? undefined : target.keyOf(caller, id))),
  );
};

const withoutKeysOrUndefined = (row: Row<object> | undefined): object | undefined => row && withoutKeys(row);

const itemWrite = (
  work: Work,
  source: StoredSource,
  item: Omit<SyncedItem, 'target_ref' | 'updated_at'>,
): Write =>
  write.put({
    ...item,
    target_ref: source.target_ref,
    updated_at: work.now,
    ...keys.syncedItem(work, source.id, item.external_id),
  });

/** Whether this run has created the row. The same run may write it again, from a later page or a repeated one. */
const isNewIn = (runId: string, { run_id, outcome }: SyncedItem): boolean =>
  run_id === runId && outcome === 'created';

const hasDuplicates = (writes: readonly Write[]): boolean =>
  new Set(writes.map(({ key }) => nameOfKey(key))).size < writes.length;

const collides = (row: SyncedRow) =>
  new RowRefused(row, '', 'conflict', 'The row changes something that another row changes as well.');

/** Writes rows in one transaction. @throws RowRefused; ApiError */
const writeTogether = (
  caller: Caller,
  sync: HeldRun,
  changes: readonly RowChange[],
  lookups: Lookups,
): Promise<WrittenRow[]> =>
  change(caller, async (work) => {
    const { source, run } = sync;
    const target = targetOf(source);
    const standing = await standingRows(
      work,
      source,
      changes.map(({ stored }) => stored?.resource_id),
    );
    const writes: Write[] = [];
    const written: WrittenRow[] = [];
    for (const [position, { row, stored }] of changes.entries()) {
      const wasMissing = stored !== undefined && !stored.is_active;
      const before = withoutKeysOrUndefined(standing[position]);
      const upsert = await target.upsert(work, source, row, before, wasMissing, lookups);
      const { option, resource_id } = upsert;
      const item: WrittenRow = {
        external_id: row.external_id,
        item_id: row.item_id,
        hash: row.hash,
        outcome: stored && !isNewIn(run.id, stored) ? 'updated' : 'created',
      };
      writes.push(
        ...upsert.writes,
        itemWrite(work, source, {
          ...item,
          resource_id: option && stored ? stored.resource_id : resource_id,
          is_active: true,
          run_id: run.id,
          ...(option && { option }),
        }),
      );
      written.push(item);
    }
    const merged = combineCounts(writes);
    // For example, two accounts exchange their external_ref. Written one by one, they succeed.
    if (changes.length > 1 && hasDuplicates(merged)) throw collides(changes[0]!.row);
    return {
      writes: [...checkHeld(work, sync), ...merged, ...writtenWith(work, source)],
      reply: written,
    };
  });

/** The error as one of a single row; undefined for an error of the whole run or the database. */
const reasonOf = ({ row: { item_id } }: RowChange, error: unknown): RunError | undefined => {
  if (error instanceof RowRefused) return error.error;
  if (!(error instanceof ApiError) || error.status >= 500 || isHeld(error) || isChanged(error))
    return undefined;
  return { item_id, field: null, code: error.code, message: error.message };
};

const groupsOf = function* <Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
};

/**
 * Writes rows that are new or have changed, as many in one transaction as fit. When one is refused, the rows of its
 * transaction are written one by one, so that it alone fails. The stored rows are read first: one call per 100 rows.
 * @throws ApiError for an error of the whole run: `sync_held`, `source_changed`, 503
 */
export const writeRows = async (
  caller: Caller,
  sync: HeldRun,
  rows: readonly SyncedRow[],
  lookups: Lookups,
): Promise<RowOutcome[]> => {
  const stored = await getRows(
    caller,
    rows.map(({ external_id }) => keys.syncedItem(caller, sync.source.id, external_id)),
  );
  const changes = rows.map((row, position): RowChange => ({ row, stored: stored[position] }));
  const outcomes: RowOutcome[] = [];
  for (const group of groupsOf(changes, targetOf(sync.source).rowsAtOnce)) {
    try {
      const written = await writeTogether(caller, sync, group, lookups);
      outcomes.push(...written.map((row) => ({ written: row })));
    } catch (error) {
      if (reasonOf(group[0]!, error) === undefined) throw error;
      for (const single of group) outcomes.push(await writeAlone(caller, sync, single, lookups));
    }
  }
  return outcomes;
};

const writeAlone = async (
  caller: Caller,
  sync: HeldRun,
  single: RowChange,
  lookups: Lookups,
): Promise<RowOutcome> => {
  try {
    const [written] = await writeTogether(caller, sync, [single], lookups);
    return { written: written! };
  } catch (error) {
    const reason = reasonOf(single, error);
    if (!reason) throw error;
    return { error: reason };
  }
};

/** Deactivates rows in one transaction. */
const deactivateTogether = (
  caller: Caller,
  sync: HeldRun,
  group: readonly Pick<SyncedItem, 'external_id' | 'resource_id'>[],
  lookups: Lookups,
): Promise<void> =>
  change(caller, async (work) => {
    const { source, run } = sync;
    const target = targetOf(source);
    const items = await getRows(
      work,
      group.map(({ external_id }) => keys.syncedItem(work, source.id, external_id)),
    );
    const standing = await standingRows(
      work,
      source,
      group.map(({ resource_id }) => resource_id),
    );
    const writes: Write[] = [];
    for (const [position, row] of items.entries()) {
      // Its resource was deleted meanwhile, and the row with it.
      if (!row) continue;
      const before = withoutKeysOrUndefined(standing[position]);
      const gone = { is_active: false, run_id: run.id, outcome: 'deactivated' } as const;
      writes.push(
        ...(before ? await target.deactivate(work, before, lookups) : []),
        itemWrite(work, source, { ...withoutKeys(row), ...gone }),
      );
    }
    return {
      writes: [...checkHeld(work, sync), ...combineCounts(writes), ...writtenWith(work, source)],
      reply: undefined,
    };
  });

/**
 * Deactivates the rows that were on no page, and counts them. Memory holds one page of stored rows.
 * @param deadline epoch milliseconds
 * @returns whether all of them are inactive
 * @throws ApiError `sync_held`, `source_changed`, 503
 */
export const deactivateMissing = async (
  caller: Caller,
  sync: HeldRun,
  before: RowsBefore,
  lookups: Lookups,
  deadline: number,
): Promise<boolean> => {
  const { source } = sync;
  const { known } = before;
  const { rowsAtOnce } = targetOf(source);
  let group: Row<Pick<SyncedItem, 'external_id' | 'resource_id'>>[] = [];
  const deactivate = async () => {
    await deactivateTogether(caller, sync, group, lookups);
    for (const row of group) known.deactivate(markOfKey(row));
    before.gone += group.length;
    group = [];
  };
  for await (const row of queryRows(caller, {
    ...keys.parts(caller, 'SOURCE', source.id, 'ROW'),
    where: { is_active: [true] },
    only: ['external_id', 'resource_id'],
  })) {
    if (known.get(markOfKey(row)).isSeen) continue;
    group.push(row);
    if (group.length < rowsAtOnce) continue;
    await deactivate();
    if (Date.now() > deadline) return false;
  }
  if (group.length > 0) await deactivate();
  return true;
};

/**
 * Makes the resources of a source local after the source or its connection was deleted. It may be interrupted and
 * repeated.
 * @param deadline epoch milliseconds
 * @returns whether all of them are local
 */
export const detachRows = async (
  caller: Caller,
  source: Pick<StoredSource, 'id' | 'target_ref'>,
  deadline: number,
): Promise<boolean> => {
  const target = targetOf(source);
  let group: Row<SyncedItem>[] = [];
  const detach = async (): Promise<void> => {
    const items = group;
    group = [];
    await change(caller, async (work) => {
      const standing = await getRows(
        work,
        items.map(({ resource_id }) => target.keyOf(work, resource_id)),
      );
      const writes = standing.flatMap((row) => (row ? target.detach(work, withoutKeys(row)) : []));
      return {
        writes: [...combineCounts(writes), ...items.map((item) => write.drop(item))],
        reply: undefined,
      };
    });
  };
  for await (const row of queryRows(caller, keys.parts(caller, 'SOURCE', source.id, 'ROW'))) {
    group.push(row);
    if (group.length < target.rowsAtOnce) continue;
    await detach();
    if (Date.now() > deadline) return false;
  }
  if (group.length > 0) await detach();
  return true;
};
