import type { Caller } from '../../../base/caller.ts';
import { workOf } from '../../table/change.ts';
import type { Kind } from '../../table/entities.ts';
import { type Key, keys } from '../../table/keys.ts';
import { type Facts, follow, type Follower } from '../../table/resource.ts';
import { getRow, isPart, queryRows, type Row, withoutKeys } from '../../table/rows.ts';
import { type AnyResource, KINDS, SORTS } from './resources.ts';

/** A row that follows from another one. */
export interface FollowingRow {
  row: Row;
  /** Undefined for a reserved value. */
  follower: Follower<AnyResource> | undefined;
  source: AnyResource;
}

/** What follows from a row: other rows, and changes of counters. */
export interface Following {
  rows: FollowingRow[];
  counts: { key: Key; add: Readonly<Record<string, number>> }[];
}

const factsOf = (caller: Caller, row: Key) => SORTS.find(({ isRow }) => isRow(caller, row))?.facts;

/** The attributes by which indexes find a row. */
export const indexOf = (caller: Caller, row: Row<object>): Readonly<Record<string, unknown>> => ({
  ...factsOf(caller, row)?.index?.(caller, resourceIn(row)),
});

/** The rows of every sort that is listed have an id. */
const resourceIn = (row: Row<object>): AnyResource => withoutKeys(row) as AnyResource;

/** What follows from a row: what is written with such a row when it is new. */
export const followingOf = (caller: Caller, row: Row<object>): Following => {
  const facts = factsOf(caller, row);
  if (!facts) return { rows: [], counts: [] };
  const source = resourceIn(row);
  const { followers = [], ...others } = facts;
  const work = workOf(caller);
  const rowsIn = (some: Facts<AnyResource>, follower?: Follower<AnyResource>): FollowingRow[] =>
    follow(some, work, undefined, source).flatMap(({ item }) =>
      // The SDK's type of an item does not tell that it has a key.
      item.Put ? [{ row: item.Put.Item as Row, follower, source }] : [],
    );
  return {
    rows: [...followers.flatMap((each) => rowsIn({ followers: [each] }, each)), ...rowsIn(others)],
    counts: follow(others, work, undefined, source).flatMap(({ key, add }) => (add ? [{ key, add }] : [])),
  };
};

/** Kinds whose resources are used by others, and so have usage rows. */
export const USED_KINDS: readonly Kind[] = [
  ...new Set(KINDS.flatMap(({ facts }) => Object.values<Kind | undefined>(facts.uses?.fields ?? {}))),
].filter((kind) => kind !== undefined);

/** The ids in a kind's usage rows, each once. Resources that were deleted may still have usage rows. */
const usedIds = async function* (caller: Caller, kind: Kind): AsyncGenerator<string> {
  let last = '';
  for await (const { sk } of queryRows(caller, { partition: keys.usage.partition(caller, kind) })) {
    const [id = ''] = sk.split('#');
    if (id !== last) yield id;
    last = id;
  }
};

/** Every id of a kind, including deleted resources that have usage rows. */
export const idsOf = async function* (caller: Caller, kind: Kind): AsyncGenerator<string> {
  const used = usedIds(caller, kind);
  let next = await used.next();
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, kind) })) {
    for (; !next.done && next.value <= sk; next = await used.next()) if (next.value < sk) yield next.value;
    yield sk;
  }
  for (; !next.done; next = await used.next()) yield next.value;
};

/** All rows below an inspection, and the attachments of its corrective actions. */
export const rowsBelowInspection = async function* (caller: Caller, id: string): AsyncGenerator<Row<object>> {
  for await (const row of queryRows(caller, { partition: keys.below(caller, 'INSPECTION', id) })) {
    yield row;
    if (isPart(row, 'ACTION')) yield* queryRows(caller, keys.parts(caller, 'ACTION', row.id, 'ATTACHMENT'));
  }
};

/**
 * Every row that counters depend on.
 * @param isWhole whether to include rows that only count as uses of documents or as bytes stored
 */
export const countedRows = async function* (caller: Caller, isWhole: boolean): AsyncGenerator<Row<object>> {
  for (const { kind, facts } of KINDS) {
    if (!isWhole && !facts.counts && !facts.uses) continue;
    for await (const row of queryRows(caller, { partition: keys.all(caller, kind) })) {
      yield row;
      if (isWhole && kind === 'INSPECTION') yield* rowsBelowInspection(caller, row.sk);
    }
  }
  if (!isWhole) return;
  const organization = await getRow(caller, keys.organization(caller));
  if (organization) yield organization;
  for await (const id of idsOf(caller, 'FAMILY')) {
    yield* queryRows(caller, keys.parts(caller, 'FAMILY', id, 'LAYOUT'));
  }
};
