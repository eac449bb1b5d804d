import type { DueRows } from '../entities/kinds.ts';
import { duePartition, type Key, shardOf, shards } from '../keys.ts';
import { getSystemRows, MAX_BATCH_KEYS, queryDueKeys, type Row } from '../rows.ts';

/**
 * The attributes by which a worker finds a row when its time has come.
 * @param id of the row's subject; it decides the shard
 * @param at ISO 8601 in UTC
 */
export const dueAt = (what: keyof DueRows, id: string, at: string) => ({
  by_due: duePartition(what, shardOf(id)),
  by_due_at: at,
});

/** A key of the index, and when its row is due. */
interface DueKey<Resource extends object> {
  key: Key<Resource>;
  at: string;
}

/** The keys of all shards, the longest due first. Each shard is read as far as it is needed. */
const inOrder = async function* <Resource extends object>(
  ofShards: readonly AsyncGenerator<DueKey<Resource>>[],
): AsyncGenerator<Key<Resource>> {
  const heads = await Promise.all(ofShards.map((shard) => shard.next()));
  for (;;) {
    let earliest: DueKey<Resource> | undefined;
    let from = 0;
    for (const [position, { done, value }] of heads.entries()) {
      if (done || (earliest && earliest.at <= value.at)) continue;
      earliest = value;
      from = position;
    }
    if (!earliest) return;
    yield earliest.key;
    heads[from] = await ofShards[from]!.next();
  }
};

/**
 * The rows of all organizations that are due at a time, the longest due first, page by page. Memory holds one page of
 * rows and one page of keys for each shard, however many rows are due. The index may lag by a moment.
 */
export const dueRows = async function* <K extends keyof DueRows>(
  what: K,
  by: Date,
): AsyncGenerator<Row<DueRows[K]>[]> {
  const upTo = by.toISOString();
  const pageOf = async (keys: Key<DueRows[K]>[]) => {
    const rows: (Row<DueRows[K]> | undefined)[] = await getSystemRows(keys);
    // The filter leaves no undefined row, which TypeScript does not see through the generic type.
    return rows.filter((row) => row?.by_due_at !== undefined && row.by_due_at <= upTo) as Row<DueRows[K]>[];
  };
  const ofShards = shards().map((shard) => queryDueKeys(duePartition(what, shard), upTo));
  let keys: Key<DueRows[K]>[] = [];
  for await (const key of inOrder(ofShards)) {
    keys.push(key);
    if (keys.length < MAX_BATCH_KEYS) continue;
    yield await pageOf(keys);
    keys = [];
  }
  if (keys.length > 0) yield await pageOf(keys);
};
