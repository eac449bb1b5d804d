import type { Caller } from '../../../base/caller.ts';
import { rangeWith, valuesIn } from '../../table/key-templates.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import type { Follower } from '../../table/resource.ts';
import { getRow, queryRows, type Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { nameRow, plainKey } from './differences.ts';
import { followingOf, idsOf, USED_KINDS } from './following.ts';
import { type ResourceSort, SORTS } from './resources.ts';
import {
  hasStoredValues,
  isAsRead,
  type RepairableDifference,
  type RowCheck,
  withoutKey,
} from './row-checks.ts';
import { resourceOfRow } from './sources.ts';

/** What is wrong with a row that follows from another one, the source; undefined when nothing is. */
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

/** A resource must be closed for use if and only if it was deleted. */
const mustCloseWithSource: FindError = (row, source) => {
  const { closed, ...open } = row;
  if ((closed === true) === (source === undefined)) return undefined;
  const right = { ...open, ...(source ? {} : { closed: true }) };
  return { found: withoutKey(right), writes: [write.replace(right, hasStoredValues(row))] };
};

/** A row that came from another system must have become a resource. The next sync brings it again. */
const mustHaveSource: FindError = (row, source) =>
  source ? undefined : { found: null, writes: [write.remove(row, hasStoredValues(row))] };

/** Rows that follow from others: their partition, and the source of each. */
export interface Followers {
  partition: string;
  prefix?: string;
  /** Undefined for a row of another sort that stands among them. */
  sourceOf: (row: Row) => Key | undefined;
  findError: FindError;
}

/** The rows of a follower, whose key says which resource they follow. */
const groupOf = (
  caller: Caller,
  { keyOf }: ResourceSort,
  { row, within = [] }: Follower<{ id: string }>,
  underId: string | undefined,
  findError: FindError,
): Followers => {
  const { partition, prefix } = rangeWith(row, caller, underId === undefined ? within : [...within, underId]);
  return {
    partition,
    ...(prefix && { prefix }),
    sourceOf: (each) => {
      const values = valuesIn(row, each);
      return values && keyOf!(caller, { ...each, ...values });
    },
    findError,
  };
};

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
      yield { ...keys.parts(caller, 'SOURCE', source.id, 'ROW'), sourceOf, findError: mustHaveSource };
    }
  }
  for (const kind of USED_KINDS) {
    const used = ({ sk }: Key) => keys.one(caller, kind, sk.split('#')[0]!);
    yield { partition: keys.usage.partition(caller, kind), sourceOf: used, findError: mustCloseWithSource };
  }
};

/** Checks a row that follows from another one. */
export const checkFollower = async (
  caller: Caller,
  key: Key,
  { sourceOf, findError }: Followers,
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
      differences: error ? [{ ...nameRow(row), stored: withoutKey(row), ...error }] : [],
    },
  ];
};
