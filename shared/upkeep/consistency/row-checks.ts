import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import { isUnchanged } from '../../inspections/rows/inspection-records.ts';
import { change } from '../../table/change.ts';
import { type Condition, exists, hasValues, isAbsent } from '../../table/conditions.ts';
import { type Key, keys, nameOfKey } from '../../table/keys.ts';
import { getRows, isIn, type Row } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { keyOf, type Write } from '../../table/writes.ts';
import { followingOf, type FollowingRow, indexOf } from './following.ts';

/** Something that disagrees with the rows that it follows from. */
export interface Difference {
  /** What the row is, such as `due inspection`. */
  what: string;
  id: string;
  stored: unknown;
  /** What it should be according to the other rows; null when it should not exist. */
  found: unknown;
}

/** A difference, and whether it was repaired. */
export type Reported = Difference & { mended: boolean };

export const isSame = (a: Difference, b: Difference): boolean => isDeepStrictEqual(a, b);

/** How a difference names a row: its key within the organization. */
export const idOf = ({ pk, sk }: Key): string => `${pk.split('#').slice(2).join('#')} ${sk}`;

type Attributes = Readonly<Record<string, unknown>>;

/** The same key, to read its row as plain attributes: the check compares rows of any type. */
export const plainKey = ({ pk, sk }: Key): Key<Record<string, unknown>> => ({ pk, sk });

/** The values that differ between what is stored and what should be; undefined when none does. */
export const differingValues = (
  row: object,
  found: Attributes,
): { stored: Attributes; found: Attributes } | undefined => {
  const stored = row as Attributes;
  const names = Object.keys(found).filter((name) => !isDeepStrictEqual(stored[name], found[name]));
  if (names.length === 0) return undefined;
  const only = (values: Attributes) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  return { stored: only(stored), found: only(found) };
};

const valuesWithout = (row: Row, ignored: readonly string[]): Attributes =>
  Object.fromEntries(
    Object.entries(row).filter(([name, value]) => value !== undefined && !ignored.includes(name)),
  );

/** Whether a row was due by a time, and still waits for its worker. @param now ISO 8601 in UTC */
const isLate = ({ by_due_at: at }: Attributes, now: string): boolean => typeof at === 'string' && at <= now;

/**
 * Whether a stored row is as it should be.
 * @param own the names of attributes that follow from no other row
 * @param now ISO 8601 in UTC
 */
const isAsExpected = (stored: Row, expected: Row, own: readonly string[], now: string): boolean =>
  isDeepStrictEqual(valuesWithout(stored, own), valuesWithout(expected, own)) &&
  // A row may have left the index of due rows. While it is there, its place follows from its id. The last thing to do may
  // be late: then nothing else is to come.
  (stored['by_due'] === undefined ||
    stored['by_due'] === expected['by_due'] ||
    (expected['by_due'] === undefined && isLate(stored, now)));

/** A difference with its repair: attributes to set or other writes; none when it cannot be repaired here. */
export interface RepairableDifference extends Difference {
  /** Attributes to set in the row that was checked. */
  set?: Readonly<Record<string, unknown>>;
  writes?: readonly Write[];
  /** A change of its own, which reads and decides anew. */
  repair?: () => Promise<void>;
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

/** The difference between an expected row and the stored one; undefined when there is none. */
const followingDifference = (
  { row: expected, follower, source }: FollowingRow,
  stored: Row | undefined,
  now: string,
): RepairableDifference | undefined => {
  const { own = [], mayBeGone = () => false } = follower ?? {};
  if (stored ? isAsExpected(stored, expected, own, now) : mayBeGone(source, now)) return undefined;
  return {
    what: follower?.what ?? 'unique value',
    id: idOf(expected),
    stored: stored ? withoutKey(stored) : null,
    // Its next reminder depends on the time of the check.
    found: withoutKey({ ...expected, by_due_at: undefined }),
    writes: [stored ? write.replace(expected, hasStoredValues(stored)) : write.create(expected)],
  };
};

/** For each of these rows: the rows that should follow from it, but are missing or wrong. */
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

/** Checks the index keys of these rows, and the rows that should follow from them. */
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

/** The pause before a possible difference is checked again, longer than a transaction takes to become visible. */
export const RECHECK = { pauseMs: 250 };

const isRepairable = ({ set, writes }: RepairableDifference): boolean =>
  set !== undefined || writes !== undefined;

const plainDifference = ({ what, id, stored, found }: RepairableDifference): Difference => ({
  what,
  id,
  stored,
  found,
});

const repairWrites = (now: string, { key, condition, isVersioned, differences }: RowCheck): Write[] => {
  const set = Object.assign({}, ...differences.map((each) => each.set)) as Record<string, unknown>;
  const own =
    Object.keys(set).length > 0
      ? write.update(
          key,
          { set: { ...set, updated_at: now }, add: { version: isVersioned ? 1 : 0 } },
          condition,
        )
      : write.check(key, undefined, condition);
  return [own, ...differences.flatMap(({ writes = [] }) => writes)];
};

/** The differences that were found before and are found again. */
const foundAgain = (now: readonly RowCheck[], before: readonly RowCheck[]): RowCheck[] => {
  const foundBefore = new Map(before.map((check) => [nameOfKey(check.key), check.differences]));
  return now.flatMap((check) => {
    const known = (foundBefore.get(nameOfKey(check.key)) ?? []).map(plainDifference);
    const differences = check.differences.filter((each) =>
      known.some((one) => isSame(one, plainDifference(each))),
    );
    return differences.length > 0 ? [{ ...check, differences }] : [];
  });
};

/** Repairs the differences of one row that a last check finds as well. @returns the repaired ones */
const repairRow = async (
  caller: Caller,
  check: () => Promise<RowCheck[]>,
  confirmed: RowCheck,
): Promise<Difference[]> => {
  const byThemselves = confirmed.differences.filter(({ repair }) => repair);
  for (const { repair } of byThemselves) await repair!();
  const repairable = { ...confirmed, differences: confirmed.differences.filter(isRepairable) };
  if (repairable.differences.length === 0) return byThemselves.map(plainDifference);
  const repaired = await change(caller, async (work) => {
    const [again] = foundAgain(await check(), [repairable]);
    return { writes: again ? repairWrites(work.now, again) : [], reply: again?.differences ?? [] };
  });
  return [...byThemselves, ...repaired].map(plainDifference);
};

/**
 * The differences that a second check finds as well. Others were changes in progress.
 * @param check reads and checks the rows each time it is called
 * @param repair whether to repair the differences, in one conditional transaction for each row
 */
export const confirmedDifferences = async function* (
  caller: Caller,
  check: () => Promise<RowCheck[]>,
  repair: boolean,
): AsyncGenerator<Reported> {
  const first = await check();
  if (first.every(({ differences }) => differences.length === 0)) return;
  await sleep(RECHECK.pauseMs);
  for (const confirmed of foundAgain(await check(), first)) {
    const repaired = repair ? await repairRow(caller, check, confirmed) : [];
    for (const difference of confirmed.differences.map(plainDifference)) {
      yield { ...difference, mended: repaired.some((one) => isSame(one, difference)) };
    }
  }
};
