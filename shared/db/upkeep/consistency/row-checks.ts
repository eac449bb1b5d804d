import type { Caller } from '../../../base/caller.ts';
import { isUnchanged } from '../../inspection-core/inspection-record.ts';
import { type Condition, exists, hasValues, isAbsent } from '../../table/conditions.ts';
import { type Key, keys } from '../../table/keys.ts';
import { getRows, isIn, type Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { keyOf, type Write } from '../../table/writes.ts';
import { type Difference, differingValues, idOf, isAsExpected, plainKey } from './differences.ts';
import { followingOf, type FollowingRow, indexOf } from './following.ts';

/** A difference with its repair: attributes to set or other writes; neither when it cannot be repaired here. */
export interface RepairableDifference extends Difference {
  /** Attributes to set in the row that was checked. */
  set?: Readonly<Record<string, unknown>>;
  writes?: readonly Write[];
}

/** The differences of one row. They are repaired only on the condition that the row is as it was read. */
export interface RowCheck {
  key: Key;
  condition: Condition;
  /** Whether edits of the row are conditional on its version, so that a repair has to increase it. */
  isVersioned: boolean;
  differences: RepairableDifference[];
}

/** The row has not changed since it was read. */
export const isAsRead = (caller: Caller, row: Row<object> | undefined): Condition => {
  if (!row) return isAbsent;
  if (isIn(row, keys.all(caller, 'INSPECTION'))) {
    return isUnchanged(row, ['answers_revision', 'findings_revision']);
  }
  return 'version' in row ? hasValues({ version: row.version }) : exists;
};

export const withoutKey = ({ pk: _pk, sk: _sk, ...values }: Row): Record<string, unknown> => values;

/** The row has the attributes that were read. */
export const hasStoredValues = (row: Row): Condition => {
  const values = withoutKey(row);
  return Object.keys(values).length > 0 ? hasValues(values) : exists;
};

/** The difference between a row that follows from another one and what is stored; undefined when there is none. */
const followingDifference = (
  { row: expected, follower, source }: FollowingRow,
  stored: Row | undefined,
  now: string,
): RepairableDifference | undefined => {
  const { own = [], mayBeGone = () => false } = follower ?? {};
  if (stored ? isAsExpected(stored, expected, own) : mayBeGone(source, now)) return undefined;
  return {
    what: follower?.what ?? 'unique value',
    id: idOf(expected),
    stored: stored ? withoutKey(stored) : null,
    // Its next reminder depends on the time of the check.
    found: withoutKey({ ...expected, by_due_at: undefined }),
    writes: [stored ? write.replace(expected, hasStoredValues(stored)) : write.create(expected)],
  };
};

/** For each of these rows, the rows that follow from it and are missing or wrong. */
export const checkFollowing = async (
  caller: Caller,
  rows: readonly Row<object>[],
): Promise<RepairableDifference[][]> => {
  const now = new Date().toISOString();
  const following = rows.map((row) => followingOf(caller, row).rows);
  const stored = (
    await getRows(
      caller,
      following.flat().map(({ row }) => plainKey(row)),
    )
  ).values();
  return following.map((expectedRows) =>
    expectedRows.flatMap((expected) => followingDifference(expected, stored.next().value, now) ?? []),
  );
};

/** Checks the keys of these rows in indexes, and that the rows exist that follow from them. */
export const checkRows = async (caller: Caller, rowKeys: readonly Key[]): Promise<RowCheck[]> => {
  const rows = (await getRows(caller, rowKeys)).filter((row) => row !== undefined);
  const differences = await checkFollowing(caller, rows);
  return rows.map((row, position) => {
    const wrong = differingValues(row, indexOf(caller, row));
    return {
      key: keyOf(row),
      condition: isAsRead(caller, row),
      isVersioned: true,
      differences: [
        ...(wrong ? [{ what: 'index keys', id: row.sk, ...wrong, set: wrong.found }] : []),
        ...differences[position]!,
      ],
    };
  });
};
