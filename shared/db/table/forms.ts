import { isDeepStrictEqual } from 'node:util';
import { isRowOf, type Key, type RowKind } from './keys.ts';

/*
 * The form of a row: which attributes the rows of its kind have, and what these mean. Each kind counts its forms from 1,
 * the form of release 1.0.0. A row of form 1 does not say so, and a row of any later form has the attribute `form`. So
 * nothing is stored until a kind changes for the first time, and then only with the rows of that kind.
 *
 * Every write gives a row the form of the release that writes it, because only that release knows what it has kept in
 * step. While two releases run side by side, or after a rollback, an older release changes rows that a newer one has
 * written: it keeps the attributes that it does not know, and the row has the older form again. The newer release then
 * brings it to its own form once more, and has lost nothing.
 *
 * An upgrade therefore
 * - adds attributes, and keeps those that the release before reads (a later release may drop them);
 * - keeps what is there already: `adding({ floor: null })`;
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

/** Adds attributes with these values, and keeps those that are there. */
const adding =
  (attributes: Record<string, unknown>): Upgrade =>
  (row) => ({ ...row, ...Object.fromEntries(Object.entries(attributes).filter(([name]) => !(name in row))) });

/** Leaves what lacks an attribute as it is: data of events that is no whole resource. */
const wholeWith =
  (name: string, upgrade: Upgrade): Upgrade =>
  (row) =>
    name in row ? upgrade(row) : row;

/** The row of an inspection, or the data of its event, which is not changed: nobody is shown what this adds. */
const withFourEyes: Upgrade = (row) => {
  if (!('pk' in row)) return row;
  const { approval, participants, worked_by, completed_at, approved_at, signatures } = row as {
    approval: object;
    participants: { user_id: string; role: string }[];
    worked_by?: ReadonlySet<string>;
    completed_at: string | null;
    approved_at: string | null;
    signatures: unknown[];
  };
  // The first release does not know who has answered, but only those who had a part.
  const had = participants.filter(({ role }) => role === 'inspector' || role === 'lead');
  const workers = new Set([...(worked_by ?? []), ...had.map(({ user_id }) => `user ${user_id}`)]);
  const isKept = completed_at !== null || approved_at !== null || signatures.length > 0;
  return {
    ...row,
    approval: { four_eyes: true, signed_in_only: false, ...approval },
    ...(workers.size > 0 && { worked_by: workers }),
    ...(isKept && { is_kept: true }),
  };
};

/** For each kind of row whose form has changed, the upgrades from form 1 to 2, from form 2 to 3, and so on. */
export const UPGRADES: { [Kind in RowKind]?: readonly Upgrade[] } = {
  INSPECTION: [
    wholeWith('archived_from', adding({ archive_reason: null })),
    withFourEyes,
    wholeWith('archived_from', adding({ tags: [], metadata: {} })),
    wholeWith('archived_from', adding({ asset_id: null })),
  ],
  CLIENT: [adding({ digest: null }), adding({ tags: [], metadata: {} })],
  ACTION: [
    wholeWith('reopen_count', adding({ due_basis: null, escalation: null, names_then: null })),
    wholeWith('reopen_count', adding({ tags: [], metadata: {} })),
    wholeWith('reopen_count', adding({ asset_id: null })),
  ],
  SCHEDULE: [
    adding({
      problems: [],
      places: null,
      timezone: null,
      assignees: 'people',
      calendar_id: null,
      on_holiday: null,
      warnings: [],
      after: null,
    }),
    adding({ asset_ids: [] }),
  ],
  KEY: [
    adding({
      created_by: null,
      created_by_name: null,
      scopes: null,
      networks: null,
      rotated_at: null,
      previous: null,
    }),
  ],
  // Keys could act for every active member of release 1.0.
  MEMBER: [
    wholeWith('status', (member) => ({
      acting_consented_at:
        member['status'] === 'active' && member['role'] !== 'api' ? member['created_at'] : null,
      ...member,
    })),
  ],
  organization: [adding({ max_submissions_per_hour: null, max_key_days: null })],
  publicLink: [adding({ max_submissions_per_hour: null })],
  FAMILY: [
    ({ settings, ...row }) => ({
      ...row,
      ...(settings !== undefined && {
        settings: {
          self_assign: false,
          repeat_window: null,
          repeat_factor: 1,
          escalation: [],
          ...(settings as object),
        },
      }),
    }),
    ({ settings, ...row }) => {
      const { approval, ...others } = (settings ?? {}) as { approval?: object };
      return {
        ...row,
        ...(settings !== undefined && {
          settings: {
            ...others,
            ...(approval && { approval: { four_eyes: true, signed_in_only: false, ...approval } }),
          },
        }),
      };
    },
  ],
};

/** The kinds of rows whose resources events have as their data, by the first part of an event's type. */
const KINDS_OF_EVENTS: Readonly<Record<string, RowKind>> = {
  client_account: 'CLIENT',
  member: 'MEMBER',
  inspection: 'INSPECTION',
  corrective_action: 'ACTION',
  schedule: 'SCHEDULE',
  template: 'FAMILY',
};

/**
 * What the data of older events lacks, and rows of release 1.0 that no upgrade changes, by the first part of the type of
 * these events, and how it is shown.
 */
export const LATER_FIELDS = {
  location: { people: [], region_id: null, tags: [], metadata: {} },
  finding: { asset_id: null, names_then: null },
  issue: { asset_id: null, names_then: null, tags: [], metadata: {} },
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
  const subject = type.split('.')[0]!;
  const kind = KINDS_OF_EVENTS[subject];
  const upgrades = (kind && UPGRADES[kind]) ?? NONE;
  return upgrades.reduce((each, upgrade) => upgrade(each), {
    ...(LATER_FIELDS as Readonly<Record<string, object>>)[subject],
    ...data,
  });
};
