import { isDeepStrictEqual } from 'node:util';
import type { Key } from '../../table/keys.ts';
import type { Row } from '../../table/rows.ts';

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

/** Names of the rows that follow from others, by the part of the partition key that identifies them. */
const ROW_NAMES: Readonly<Record<string, string>> = {
  ACTION: 'action by its own id',
  ACTION_ASSIGNEE: 'assignment of an action',
  ACTION_DUE: 'due action',
  ASSIGNEE: 'assignment',
  CALENDAR: 'calendar',
  COUNTER: 'counter',
  DOCUMENT: 'document',
  DUE: 'due inspection',
  FINDING: 'finding by its own id',
  ISSUE: 'what an issue led to',
  ISSUE_ASSIGNEE: 'assignment of an issue',
  ISSUE_DUE: 'due issue',
  LOCATION_NAME: 'location by name',
  REPORT: 'report by its own id',
  SCHEDULE: 'inspection of a schedule',
  SOURCE: 'synced rows of a source',
  STORAGE: 'bytes stored',
  UNIQUE: 'unique value',
  USAGE: 'usage',
};

const kindOf = ({ pk }: Key): string =>
  pk.split('#').findLast((part) => Object.hasOwn(ROW_NAMES, part)) ?? 'RUNNING';

/** A row that follows from others, as a difference names it: what it is, and its key within the organization. */
export const nameRow = ({ pk, sk }: Key): Pick<Difference, 'what' | 'id'> => ({
  what: ROW_NAMES[kindOf({ pk, sk })] ?? 'running inspection',
  id: `${pk.split('#').slice(2).join('#')} ${sk}`,
});

type Values = Readonly<Record<string, unknown>>;

/** The same key, to read its row as plain attributes: the check compares rows of any type. */
export const plainKey = ({ pk, sk }: Key): Key<Record<string, unknown>> => ({ pk, sk });

/** The values that differ between what is stored and what should be; undefined when none does. */
export const differingValues = (
  row: object,
  found: Values,
): { stored: Values; found: Values } | undefined => {
  const stored = row as Values;
  const names = Object.keys(found).filter((name) => !isDeepStrictEqual(stored[name], found[name]));
  if (names.length === 0) return undefined;
  const only = (values: Values) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  return { stored: only(stored), found: only(found) };
};

const valuesWithout = (row: Row, ignored: readonly string[]): Values =>
  Object.fromEntries(
    Object.entries(row).filter(([name, value]) => value !== undefined && !ignored.includes(name)),
  );

/**
 * Whether a stored row is as it should be.
 * @param own its attributes that follow from no other row
 */
export const isAsExpected = (stored: Row, expected: Row, own: readonly string[]): boolean =>
  isDeepStrictEqual(valuesWithout(stored, own), valuesWithout(expected, own)) &&
  // Where it stands in the index of due rows follows from its id, as long as it is there.
  (stored['by_due'] === undefined || stored['by_due'] === expected['by_due']);
