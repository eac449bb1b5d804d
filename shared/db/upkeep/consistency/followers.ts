import type { Caller } from '../../../base/caller.ts';
import { inspectionRecords } from '../../inspection-core/record.ts';
import type { ChildKind } from '../../table/entities.ts';
import { type Key, keys } from '../../table/keys.ts';
import { getRow, queryRows, type Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { nameRow, plainKey } from './differences.ts';
import { followingOf, idsOf } from './following.ts';
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
      source && followingOf(caller, source).rows.some(({ pk, sk }) => pk === row.pk && sk === row.sk);
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
  sourceOf: (row: Row) => Key;
  findError: FindError;
}

/** All partitions of rows that follow from others, except those whose partition key is a hash. */
export const followers = async function* (caller: Caller): AsyncGenerator<Followers> {
  const findError = mustFollow(caller);
  const inspection = ({ sk }: Key) => inspectionRecords.key(caller, sk.split('#').at(-1)!);
  const child =
    (kind: ChildKind) =>
    ({ sk, inspection_id }: Row): Key =>
      keys.child(caller, String(inspection_id), kind, sk.split('#').at(-1)!);
  const location = ({ sk }: Key) => keys.one(caller, 'LOCATION', sk.split('\u0001').at(-1)!);

  const issue = ({ sk }: Key) => keys.one(caller, 'ISSUE', sk.split('#').at(-1)!);
  const linked = ({ inspection_id, corrective_action_id }: Row): Key =>
    typeof corrective_action_id === 'string'
      ? keys.child(caller, String(inspection_id), 'ACTION', corrective_action_id)
      : inspectionRecords.key(caller, String(inspection_id));

  yield { partition: keys.allDue(caller), sourceOf: inspection, findError };
  yield { partition: keys.allIssuesDue(caller), sourceOf: issue, findError };
  yield { partition: keys.allActionsDue(caller), sourceOf: child('ACTION'), findError };
  for (const kind of ['FINDING', 'ACTION', 'REPORT'] as const) {
    yield { partition: keys.references(caller, kind), sourceOf: child(kind), findError };
  }
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, 'MEMBER') })) {
    yield { partition: keys.assignments(caller, sk), sourceOf: inspection, findError };
    yield { partition: keys.actionAssignments(caller, sk), sourceOf: child('ACTION'), findError };
    yield { partition: keys.issueAssignments(caller, sk), sourceOf: issue, findError };
  }
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, 'ISSUE') })) {
    const partition = keys.below(caller, 'ISSUE', sk);
    yield { partition, prefix: 'LINKED#', sourceOf: linked, findError };
  }
  for await (const id of idsOf(caller, 'FAMILY')) {
    const partition = keys.below(caller, 'FAMILY', id);
    yield { partition, prefix: 'RUNNING#', sourceOf: inspection, findError };
  }
  yield { partition: keys.calendar(caller), sourceOf: inspection, findError };
  yield { partition: keys.allReinspections(caller), sourceOf: inspection, findError };
  for await (const { sk } of queryRows(caller, { partition: keys.all(caller, 'SCHEDULE') })) {
    yield { ...keys.parts(caller, 'SCHEDULE', sk, 'STARTS'), sourceOf: inspection, findError };
  }
  yield { partition: keys.locationsByName(caller), sourceOf: location, findError };
  for await (const id of idsOf(caller, 'CLIENT')) {
    yield { partition: keys.locationsByName(caller, id), sourceOf: location, findError };
  }
  for await (const source of queryRows(caller, { partition: keys.all(caller, 'SOURCE') })) {
    const sourceOf = resourceOfRow(caller, source);
    if (sourceOf) {
      yield { ...keys.parts(caller, 'SOURCE', source.id, 'ROW'), sourceOf, findError: mustHaveSource };
    }
  }
  for (const kind of ['FAMILY', 'CLIENT', 'LOCATION', 'ISSUE_CATEGORY'] as const) {
    const used = ({ sk }: Key) => keys.one(caller, kind, sk.split('#')[0]!);
    yield { partition: keys.usages(caller, kind), sourceOf: used, findError: mustCloseWithSource };
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
