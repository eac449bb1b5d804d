import { isDeepStrictEqual } from 'node:util';
import { isRowOf, type Key, type RowKind } from './keys.ts';

/*
 * The form of a row: which attributes the rows of its kind have, and what these mean. Each kind counts its forms from 1,
 * that of its first release. A row of form 1 does not say so, and a row of any later form has the attribute `form`. So
 * nothing is stored until a kind changes for the first time, and then only with the rows of that kind.
 *
 * Every write gives a row the form of the release that writes it, because only that release knows what it has kept in
 * step. While two releases run side by side, or after a rollback, an older release changes rows that a newer one has
 * written: it keeps the attributes that it does not know, and the row has the older form again. The newer release then
 * brings it to its own form once more, and has lost nothing.
 *
 * An upgrade therefore
 * - adds attributes, and keeps those that the release before reads (a later release may drop them);
 * - keeps what is there already: `(row) => ({ floor: null, ...row })`;
 * - leaves keys, attributes of indexes, and attributes that queries filter by as they are. A new attribute is filtered
 *   by in the next release, after `operator migrate` has stored it in all rows.
 */

/** The attribute that holds a row's form. */
export const FORM = 'form';

/** A row as it is stored, whatever its form. */
export type Stored = Key & Record<string, unknown>;

/**
 * Brings a row from one form to the next one. It also gets the data of events, which is the resource without the rest of
 * its row, or something else that such an event has: this it leaves as it is.
 */
export type Upgrade = (attributes: Record<string, unknown>) => Record<string, unknown>;

/** For each kind of row whose form has changed, the upgrades from form 1 to 2, from form 2 to 3, and so on. */
export const UPGRADES: { [Kind in RowKind]?: readonly Upgrade[] } = {};

/** The kinds of rows whose resources events have as their data, by the first part of an event's type. */
const KINDS_OF_EVENTS: Readonly<Record<string, RowKind>> = {
  client_account: 'CLIENT',
  member: 'MEMBER',
  inspection: 'INSPECTION',
  corrective_action: 'ACTION',
  schedule: 'SCHEDULE',
  template: 'FAMILY',
};

const NONE: readonly Upgrade[] = [];

const upgradesOf = (key: Key): readonly Upgrade[] => {
  for (const [kind, upgrades] of Object.entries(UPGRADES)) {
    if (isRowOf(kind as RowKind, key)) return upgrades;
  }
  return NONE;
};

/** The form in which this release writes the row at a key. */
export const formAt = (key: Key): number => upgradesOf(key).length + 1;

/** The form that a row is stored in. */
export const formOf = ({ [FORM]: form }: Readonly<Record<string, unknown>>): number => Number(form ?? 1);

/** Whether a stored row has an older form than this release writes. */
export const isOutdated = (row: Stored): boolean => formOf(row) < formAt(row);

/** A stored row in the form of this release. A row of a newer form stays as it is. */
export const upgraded = (row: Stored): Stored => {
  const upgrades = upgradesOf(row).slice(formOf(row) - 1);
  return upgrades.length === 0
    ? row
    : withForm(upgrades.reduce<Record<string, unknown>>((each, upgrade) => upgrade(each), row) as Stored);
};

/** A row as this release writes it: with its form, unless that is the first one. */
export const withForm = <Row extends Key>(row: Row): Row => {
  const form = formAt(row);
  if (form === 1 && !(FORM in row)) return row;
  const { [FORM]: _, ...attributes } = row as Row & Record<string, unknown>;
  return { ...attributes, ...(form > 1 && { [FORM]: form }) } as unknown as Row;
};

/** What an upgrade does to the attributes of a row: those that get a value, and those that go. */
export const upgradeOf = (row: Stored): { set: Record<string, unknown>; drop: string[] } => {
  const next = upgraded(row);
  return {
    set: Object.fromEntries(
      Object.entries(next).filter(([attribute, value]) => !isDeepStrictEqual(value, row[attribute])),
    ),
    drop: Object.keys(row).filter((attribute) => !(attribute in next)),
  };
};

/** The data of an event, as this release would store it. */
export const upgradedData = (type: string, data: Record<string, unknown>): Record<string, unknown> => {
  const kind = KINDS_OF_EVENTS[type.split('.')[0]!];
  const upgrades = (kind && UPGRADES[kind]) ?? NONE;
  return upgrades.reduce((each, upgrade) => upgrade(each), data);
};
