import type { DueRows } from '../entities/kinds.ts';
import { duePartition, type Key, keys, organizationOf, shardOf, shards } from '../keys.ts';
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

/** The keys of all rows that are due, the longest due first. Memory holds one page for each shard. */
const dueKeys = <K extends keyof DueRows>(
  what: K,
  upTo: string,
  pageSize?: number,
): AsyncGenerator<Key<DueRows[K]>> =>
  inOrder(shards().map((shard) => queryDueKeys(duePartition(what, shard), upTo, pageSize)));

/** Keys of one call for a reader who needs all of them. */
const MANY_KEYS = 1_000;

/** Keys that are held for one organization: more than one run of a worker gets through. */
const MAX_HELD = 5_000;

/** One key of each organization, then the next one of each, and so on. Each organization's longest due comes first. */
const inTurns = async function* <Resource extends object>(
  inOrderOfTime: AsyncIterable<Key<Resource>>,
): AsyncGenerator<Key<Resource>> {
  const held = new Map<string, Key<Resource>[]>();
  for await (const key of inOrderOfTime) {
    const organization = organizationOf(key);
    const own = held.get(organization) ?? [];
    if (own.length < MAX_HELD) own.push(key);
    held.set(organization, own);
  }
  for (let turn = 0; held.size > 0; turn += 1) {
    for (const [organization, own] of held) {
      if (turn < own.length) yield own[turn]!;
      else held.delete(organization);
    }
  }
};

/**
 * Reads the rows of keys page by page, without those that are not due any more, and without those of organizations that
 * are suspended, whose work waits. The index may lag by a moment.
 */
const pagesOf = async function* <K extends keyof DueRows>(
  dueKeysInOrder: AsyncIterable<Key<DueRows[K]>>,
  upTo: string,
): AsyncGenerator<Row<DueRows[K]>[]> {
  const pageOf = async (page: Key<DueRows[K]>[]) => {
    const owners = [...new Set(page.map(organizationOf))];
    const ownerKeys = owners.map((org_id) => keys.organization({ org_id }));
    const [found, organizations] = await Promise.all([getSystemRows(page), getSystemRows(ownerKeys)]);
    const suspended = new Set(organizations.flatMap((row) => (row?.suspended ? [row.id] : [])));
    const rows: (Row<DueRows[K]> | undefined)[] = found;
    // The filter leaves no undefined row, which TypeScript does not see through the generic type.
    return rows.filter(
      (row) => row?.by_due_at !== undefined && row.by_due_at <= upTo && !suspended.has(organizationOf(row)),
    ) as Row<DueRows[K]>[];
  };
  let page: Key<DueRows[K]>[] = [];
  for await (const key of dueKeysInOrder) {
    page.push(key);
    if (page.length < MAX_BATCH_KEYS) continue;
    yield await pageOf(page);
    page = [];
  }
  if (page.length > 0) yield await pageOf(page);
};

/** Since when the row waits that has been due for longest; undefined when none is due. @param by rows that are due then */
export const longestDue = async (what: keyof DueRows, by: Date): Promise<string | undefined> => {
  for await (const [row] of dueRows(what, by)) if (row) return row.by_due_at;
  return undefined;
};

/**
 * The rows of all organizations that are due at a time, the longest due first, page by page. Memory holds one page of
 * rows and one page of keys for each shard, however many rows are due.
 */
export const dueRows = <K extends keyof DueRows>(what: K, by: Date): AsyncGenerator<Row<DueRows[K]>[]> =>
  pagesOf<K>(dueKeys(what, by.toISOString()), by.toISOString());

/**
 * The same, but organizations take turns: what one of them has due stands in the first page, however much others have
 * had due before. All keys are read before the first page, and `MAX_HELD` of each organization are held in memory; the
 * next run finds the rest.
 */
export const dueRowsInTurns = <K extends keyof DueRows>(
  what: K,
  by: Date,
): AsyncGenerator<Row<DueRows[K]>[]> =>
  pagesOf<K>(inTurns(dueKeys(what, by.toISOString(), MANY_KEYS)), by.toISOString());
