import type { Caller } from '../../base/caller.ts';
import { resourceKey } from '../../integrations/rows/synced-rows.ts';
import type { StoredSource, SyncedItem } from '../../table/entities/integrations.ts';
import type { SlotRow } from '../../table/entities/machinery.ts';
import { rangeWith, valuesIn } from '../../table/key-templates.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import type { Follower } from '../../table/resource.ts';
import { getRow, queryRows, type Row } from '../../table/rows.ts';
import { HELD_SLOTS } from '../../table/slots.ts';
import * as write from '../../table/writes.ts';
import { followingOf, idsOf, type ResourceSort, SORTS, USED_KINDS } from './following.ts';
import {
  hasStoredValues,
  idOf,
  isAsRead,
  plainKey,
  type RepairableDifference,
  type RowCheck,
  withoutKey,
} from './row-checks.ts';

/** Finds what is wrong with a row that follows from another one, its source; undefined for nothing. */
type FindError = (
  row: Row,
  source: Row<object> | undefined,
) => Omit<RepairableDifference, 'what' | 'id' | 'stored'> | undefined;

/** A row must follow from its source. Otherwise it should not exist. */
const mustFollow =
  (caller: Caller): FindError =>
  (row, source) => {
    const isFollowing =
      source && followingOf(caller, source).rows.some((each) => nameOfKey(each.row) === nameOfKey(row));
    return isFollowing ? undefined : { found: null, writes: [write.remove(row, hasStoredValues(row))] };
  };

/** The usage of a resource must be closed if the resource was deleted, or a location was merged, and only then. */
const mustCloseWithSource: FindError = (row, source) => {
  const { closed, ...open } = row;
  const isGone = source === undefined || 'merged_into' in source;
  if ((closed === true) === isGone) return undefined;
  const right = { ...open, ...(isGone && { closed: true }) };
  return { found: withoutKey(right), writes: [write.replace(right, hasStoredValues(row))] };
};

/** A synced row must have its resource. A row without one is removed, and the next sync brings it again. */
const mustHaveSource: FindError = (row, source) =>
  source ? undefined : { found: null, writes: [write.remove(row, hasStoredValues(row))] };

/** A slot must be that of its holder, which leaves it when it ends. */
const mustBeHeld: FindError = (row, holder) =>
  holder && 'slot' in holder && holder.slot === Number(row.sk)
    ? undefined
    : { found: null, writes: [write.remove(row, hasStoredValues(row))] };

/** Rows that follow from others: their partition, and the source of each. */
export interface Followers {
  partition: string;
  prefix?: string;
  what: string;
  /** Undefined for a row of another sort that stands among them. */
  sourceOf: (row: Row) => Key | undefined;
  findError: FindError;
}

/** The rows of a follower, whose key says which resource they follow. */
const groupOf = (
  caller: Caller,
  { keyOf }: ResourceSort,
  { row, what, within = [] }: Follower<{ id: string }>,
  underId: string | undefined,
  findError: FindError,
): Followers => {
  const { partition, prefix } = rangeWith(row, caller, underId === undefined ? within : [...within, underId]);
  return {
    partition,
    ...(prefix && { prefix }),
    what,
    sourceOf: (each) => {
      const values = valuesIn(row, each);
      return values && keyOf!(caller, { ...each, ...values });
    },
    findError,
  };
};

/** How to find the resource of a synced row; undefined for a source whose rows do not become resources. */
export const resourceOfRow = (
  caller: Caller,
  { target_ref }: Pick<StoredSource, 'target_ref'>,
): ((row: Row) => Key) | undefined =>
  resourceKey(caller, target_ref, '') &&
  ((row) => resourceKey(caller, target_ref, (row as Row & SyncedItem).resource_id)!);

/** All partitions of rows that follow from others, except those whose partition key is a hash. */
export const followers = async function* (caller: Caller): AsyncGenerator<Followers> {
  const findError = mustFollow(caller);
  const all = SORTS.flatMap((sort) => (sort.facts.followers ?? []).map((follower) => ({ sort, follower })));
  for (const [under, some] of Map.groupBy(all, ({ follower }) => follower.under)) {
    const ids = under === undefined ? [undefined] : idsOf(caller, under);
    for await (const id of ids) {
      for (const { sort, follower } of some) yield groupOf(caller, sort, follower, id, findError);
    }
  }
  for await (const source of queryRows(caller, { partition: keys.all(caller, 'SOURCE') })) {
    const sourceOf = resourceOfRow(caller, source);
    if (sourceOf) {
      const rows = keys.parts(caller, 'SOURCE', source.id, 'ROW');
      yield { ...rows, what: 'synced rows of a source', sourceOf, findError: mustHaveSource };
    }
  }
  for (const kind of HELD_SLOTS) {
    yield {
      partition: keys.slot.partition(caller, kind),
      what: 'slot',
      sourceOf: (row) => (row as Row<SlotRow>).holder,
      findError: mustBeHeld,
    };
  }
  for (const kind of USED_KINDS) {
    const used = ({ sk }: Key) => keys.one(caller, kind, sk.split('#')[0]!);
    const partition = keys.usage.partition(caller, kind);
    yield { partition, what: 'usage', sourceOf: used, findError: mustCloseWithSource };
  }
};

/** Checks a row that follows from another one. */
export const checkFollower = async (
  caller: Caller,
  key: Key,
  { what, sourceOf, findError }: Followers,
): Promise<RowCheck[]> => {
  const row = await getRow(caller, plainKey(key));
  if (!row) return [];
  const sourceKey = sourceOf(row);
  if (!sourceKey) return [];
  const source = await getRow(caller, sourceKey);
  const error = findError(row, source);
  return [
    {
      key: sourceKey,
      condition: isAsRead(caller, source),
      isVersioned: false,
      differences: error ? [{ what, id: idOf(row), stored: withoutKey(row), ...error }] : [],
    },
  ];
};
