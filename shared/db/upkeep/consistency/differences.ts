import { isDeepStrictEqual } from 'node:util';
import type { Key } from '../../table/keys.ts';
import type { Row } from '../../table/rows.ts';

/** Something that is not as the rows say which it follows. */
export interface Difference {
  /** As the entity chart calls it. */
  what: string;
  id: string;
  stored: unknown;
  /** What it follows from the other rows to be; null for what should not be there. */
  found: unknown;
}

/** A difference, and whether it has been ended. */
export type Reported = Difference & { mended: boolean };

export const isSame = (a: Difference, b: Difference): boolean => isDeepStrictEqual(a, b);

/** Rows that follow others, by the part of their partition that tells them. */
const CALLED: Readonly<Record<string, string>> = {
  ACTION: 'action by its own id',
  ACTION_ASSIGNEE: 'assignment of an action',
  ACTION_DUE: 'due action',
  ASSIGNEE: 'assignment',
  COUNTER: 'counter',
  DOCUMENT: 'document',
  DUE: 'due inspection',
  FINDING: 'finding by its own id',
  LOCATION_NAME: 'location by name',
  REPORT: 'report by its own id',
  UNIQUE: 'unique value',
  USAGE: 'usage',
};

const kindOf = ({ pk }: Key): string =>
  pk.split('#').findLast((part) => Object.hasOwn(CALLED, part)) ?? 'RUNNING';

/** A row that follows others, as a difference names it: what it is, and where it stands in its organization. */
export const named = ({ pk, sk }: Key): Pick<Difference, 'what' | 'id'> => ({
  what: CALLED[kindOf({ pk, sk })] ?? 'running inspection',
  id: `${pk.split('#').slice(2).join('#')} ${sk}`,
});

type Values = Readonly<Record<string, unknown>>;

/** Of what is stored, and what should be, those that are not alike; undefined where all are. */
export const apart = (stored: object, found: Values): { stored: Values; found: Values } | undefined => {
  const standing = stored as Values;
  const names = Object.keys(found).filter((name) => !isDeepStrictEqual(standing[name], found[name]));
  if (names.length === 0) return undefined;
  const only = (values: Values) => Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
  return { stored: only(standing), found: only(found) };
};

/** What a due row says of how far it has been told of, which the dated row does not know. */
const TOLD = ['version', 'by_due', 'by_due_at'];

const essence = (row: Row, told: readonly string[]): Values =>
  Object.fromEntries(
    Object.entries(row).filter(([name, value]) => value !== undefined && !told.includes(name)),
  );

/** Whether a row is what it follows to be. */
export const isAsFollows = (stored: Row, following: Row): boolean => {
  const isDeadline = 'by_due' in following;
  const told = isDeadline ? TOLD : [];
  return (
    isDeepStrictEqual(essence(stored, told), essence(following, told)) &&
    (!isDeadline || stored['by_due'] === undefined || stored['by_due'] === following['by_due'])
  );
};

/** Whether a row may be missing: when its date has come, an action's is told of for the last time, and goes. */
export const mayBeMissing = (following: Row, now: string): boolean =>
  kindOf(following) === 'ACTION_DUE' && String(following['due_at']) <= now;
