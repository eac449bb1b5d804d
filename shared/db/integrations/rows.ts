import { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import type { SyncedRow } from '../../domain/integrations/synced-row.ts';
import type { RunError } from '../../schemas/integrations/run.ts';
import type { TargetRef } from '../../schemas/integrations/source.ts';
import { change } from '../table/change.ts';
import type { StoredSource, SyncedItem } from '../table/entities.ts';
import { type Key, keys, nameOfKey, sha256 } from '../table/keys.ts';
import { getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { mergeCounts, type Write } from '../table/writes.ts';
import { checkTurn, isChanged, isHeld, type SyncWork } from './runs.ts';
import { candidates } from './targets/candidates.ts';
import { clientAccounts } from './targets/client-accounts.ts';
import { locations } from './targets/locations.ts';
import { options } from './targets/options.ts';
import { type Lookups, RowRefused, type Target } from './targets/target.ts';

/** The targets take the rows of their own resources only, which the key of each makes sure of. */
const TARGETS = { locations, client_accounts: clientAccounts, members: candidates, response_sets: options };

const targetOf = ({ target_ref }: { target_ref: TargetRef }) =>
  TARGETS[target_ref] as unknown as Target<object>;

/** The key of what a synced row became; undefined for options, which have no row of their own. */
export const resourceKey = (caller: Caller, target_ref: TargetRef, resourceId: string): Key | undefined =>
  targetOf({ target_ref }).keyOf(caller, resourceId);

/** Bytes of a mark: 64 bits, so that of a million rows no two have the same with a chance of one in 37 million. */
export const MARK_BYTES = 8;

/** What stands for an external id in a list of what was seen: the first bytes of its hash, in hexadecimal. */
export const markOf = (externalId: string): string => sha256(externalId).slice(0, MARK_BYTES * 2);

const markOfKey = ({ sk }: Key): string => sk.slice('ROW#'.length, 'ROW#'.length + MARK_BYTES * 2);

/** What is known of a row that came from a source before. */
export type KnownRow = Pick<
  SyncedItem,
  'external_id' | 'item_id' | 'resource_id' | 'hash' | 'is_active' | 'run_id' | 'outcome'
>;

/**
 * All rows that have come from a source, by their marks. One call per megabyte, some 4,000 rows: reading them by their
 * keys would cost forty times as many calls.
 */
export const knownRows = async (caller: Caller, sourceId: string): Promise<Map<string, KnownRow>> => {
  const known = new Map<string, KnownRow>();
  for await (const row of queryRows(caller, {
    ...keys.parts(caller, 'SOURCE', sourceId, 'ROW'),
    only: ['external_id', 'item_id', 'resource_id', 'hash', 'is_active', 'run_id', 'outcome'],
  })) {
    const { external_id, item_id, resource_id, hash, is_active, run_id, outcome } = row;
    known.set(markOfKey(row), { external_id, item_id, resource_id, hash, is_active, run_id, outcome });
  }
  return known;
};

/** A row that is new or has changed. */
export interface RowChange {
  row: SyncedRow;
  known: KnownRow | undefined;
}

/** What became of it. */
export type RowOutcome = { known: KnownRow } | { error: RunError };

const standingRows = (caller: Caller, source: StoredSource, ids: readonly (string | undefined)[]) => {
  const target = targetOf(source);
  return getRows(
    caller,
    ids.map((id) => (id === undefined ? undefined : target.keyOf(caller, id))),
  );
};

const withoutKeysOrUndefined = (row: Row<object> | undefined): object | undefined => row && withoutKeys(row);

const itemWrite = (caller: Caller, source: StoredSource, item: Omit<SyncedItem, 'target_ref'>): Write =>
  write.put({
    ...item,
    target_ref: source.target_ref,
    ...keys.syncedItem(caller, source.id, item.external_id),
  });

/** Whether this run has created the row: a later page, or a repeated one, may write it again. */
const isNewIn = (runId: string, { run_id, outcome }: KnownRow): boolean =>
  run_id === runId && outcome === 'created';

const hasDuplicates = (writes: readonly Write[]): boolean =>
  new Set(writes.map(({ key }) => nameOfKey(key))).size < writes.length;

const apart = (row: SyncedRow) =>
  new RowRefused(row, '', 'conflict', 'The row changes something that another row changes as well.');

/** Writes rows in one transaction. @throws RowRefused; ApiError */
const writeTogether = (
  caller: Caller,
  work: SyncWork,
  changes: readonly RowChange[],
  lookups: Lookups,
): Promise<KnownRow[]> =>
  change(caller, async () => {
    const { source, run } = work;
    const target = targetOf(source);
    const standing = await standingRows(
      caller,
      source,
      changes.map(({ known }) => known?.resource_id),
    );
    const writes: Write[] = [];
    const written: KnownRow[] = [];
    for (const [position, { row, known }] of changes.entries()) {
      const wasMissing = known !== undefined && !known.is_active;
      const before = withoutKeysOrUndefined(standing[position]);
      const upsert = await target.upsert(caller, source, row, before, wasMissing, lookups);
      const { option, resource_id } = upsert;
      const item: KnownRow = {
        external_id: row.external_id,
        item_id: row.item_id,
        resource_id: option && known ? known.resource_id : resource_id,
        hash: row.hash,
        is_active: true,
        run_id: run.id,
        outcome: known && !isNewIn(run.id, known) ? 'updated' : 'created',
      };
      writes.push(...upsert.writes, itemWrite(caller, source, { ...item, ...(option && { option }) }));
      written.push(item);
    }
    const merged = mergeCounts(writes);
    // Such as two accounts that exchange their external_ref: one after the other they can.
    if (changes.length > 1 && hasDuplicates(merged)) throw apart(changes[0]!.row);
    return { writes: [...checkTurn(caller, work), ...merged], reply: written };
  });

/** Whether an error is about a row, and not about the run or the database. */
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
 * Writes rows that are new or have changed, as many in one transaction as fit. Where one is refused, the rows of its
 * transaction are written one by one, so that it alone fails.
 * @throws ApiError for what is not about a single row: `sync_held`, `source_changed`, 503
 */
export const writeRows = async (
  caller: Caller,
  work: SyncWork,
  changes: readonly RowChange[],
  lookups: Lookups,
): Promise<RowOutcome[]> => {
  const outcomes: RowOutcome[] = [];
  for (const group of groupsOf(changes, targetOf(work.source).rowsAtOnce)) {
    try {
      const written = await writeTogether(caller, work, group, lookups);
      outcomes.push(...written.map((known) => ({ known })));
    } catch (error) {
      if (reasonOf(group[0]!, error) === undefined) throw error;
      for (const single of group) outcomes.push(await writeAlone(caller, work, single, lookups));
    }
  }
  return outcomes;
};

const writeAlone = async (
  caller: Caller,
  work: SyncWork,
  single: RowChange,
  lookups: Lookups,
): Promise<RowOutcome> => {
  try {
    const [known] = await writeTogether(caller, work, [single], lookups);
    return { known: known! };
  } catch (error) {
    const reason = reasonOf(single, error);
    if (!reason) throw error;
    return { error: reason };
  }
};

/** Deactivates rows that are missing at the vendor. @throws ApiError `sync_held`, `source_changed`, 503 */
export const deactivateRows = async (
  caller: Caller,
  work: SyncWork,
  missing: readonly KnownRow[],
  lookups: Lookups,
): Promise<void> => {
  const { source, run } = work;
  const target = targetOf(source);
  for (const group of groupsOf(missing, target.rowsAtOnce)) {
    await change(caller, async () => {
      const items = await getRows(
        caller,
        group.map(({ external_id }) => keys.syncedItem(caller, source.id, external_id)),
      );
      const standing = await standingRows(
        caller,
        source,
        group.map(({ resource_id }) => resource_id),
      );
      const writes: Write[] = [];
      for (const [position, row] of items.entries()) {
        // Its resource was deleted since, and the row with it.
        if (!row) continue;
        const before = withoutKeysOrUndefined(standing[position]);
        const gone = { is_active: false, run_id: run.id, outcome: 'deactivated' } as const;
        writes.push(
          ...(before ? await target.deactivate(caller, before, lookups) : []),
          itemWrite(caller, source, { ...withoutKeys(row), ...gone }),
        );
      }
      return { writes: [...checkTurn(caller, work), ...mergeCounts(writes)], reply: undefined };
    });
  }
};

/**
 * Makes the resources of a source local that was deleted, or whose connection was. It may be interrupted and repeated.
 * @param deadline epoch milliseconds
 * @returns whether all are local by now
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
    await change(caller, async () => {
      const standing = await getRows(
        caller,
        items.map(({ resource_id }) => target.keyOf(caller, resource_id)),
      );
      const writes = standing.flatMap((row) => (row ? target.detach(caller, withoutKeys(row)) : []));
      return { writes: [...mergeCounts(writes), ...items.map((item) => write.drop(item))], reply: undefined };
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
