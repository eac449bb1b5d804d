import * as z from 'zod';
import { assetQuery, Decommissioning } from './assets/asset.ts';
import {
  ActedViaKeyId,
  Count,
  Instant,
  listQuery,
  Problem,
  resourceFields,
  Tags,
  Text,
  Timestamp,
  Uuid,
  UNTOLD,
} from './common.ts';
import { NewOutsideContact } from './contact.ts';
import { allCorrectiveActionsQuery, Verification } from './corrective-action.ts';
import { inspectionListFilters } from './inspections/inspection.ts';
import { issueQuery, IssueSource } from './issues/issue.ts';
import { MAX_LABELS } from './labels.ts';
import { LocationQuery, LocationSource, LocationStatus } from './location.ts';
import { ScheduleQuery } from './schedules/schedule.ts';
import { anyOf } from './surroundings.ts';

/** Rows of one bulk change. Their ids stand in one row of the table. */
export const MAX_BULK_ROWS = 5_000;

/** Rows that a bulk change names by their ids. */
export const MAX_BULK_IDS = 200;

/** How long a bulk change is kept, in days. */
export const BULK_CHANGE_DAYS = 60;

/* What is done to each row */

const Reassign = z
  .strictObject({
    type: z.literal('reassign'),
    to: Uuid.nullable().meta({
      description: 'The user id of the member who gets the work; null for nobody.',
    }),
    from: Uuid.optional().meta({
      description:
        'Only the work of this member, by their user id: what they do not have stays as it is. In an inspection, `to` gets their role and sections; in a schedule, their place. When left out, `to` takes the place of all inspectors and leads of an inspection, and of all assignees of a schedule.',
    }),
  })
  .meta({ id: 'BulkReassign', description: 'Gives the work to another member.' });

const SetDue = z
  .strictObject({ type: z.literal('set_due'), due_at: Instant.nullable() })
  .meta({ id: 'BulkSetDue', description: 'Sets the due date, or removes it.' });

const Verify = z
  .strictObject({
    type: z.literal('verify'),
    note: Verification.shape.note,
    resolve_finding: Verification.shape.resolve_finding,
  })
  .meta({ id: 'BulkVerify', description: 'Accepts what was completed.' });

const Archive = z.strictObject({ type: z.literal('archive'), reason: Decommissioning.shape.reason }).meta({
  id: 'BulkArchive',
  description:
    'Takes it out of use: an inspection is archived, a location becomes inactive, an asset is decommissioned (for the `reason`), and a schedule is paused.',
});

const FewTags = Tags.max(MAX_LABELS);

const Tag = z
  .strictObject({
    type: z.literal('tag'),
    add: FewTags.default([]).meta({
      description: 'Tags that are added where they are missing; case is ignored.',
    }),
    remove: FewTags.default([]).meta({ description: 'Tags that are removed; case is ignored.' }),
  })
  .meta({ id: 'BulkTag', description: 'Adds and removes tags. The others stay.' });

const Move = z
  .strictObject({
    type: z.literal('move'),
    location_id: Uuid.nullable().meta({
      description:
        'The location to which it goes; for a location, the one that contains it then. Null for none.',
    }),
  })
  .meta({ id: 'BulkMove', description: 'Moves it to another location.' });

const SetContact = z
  .strictObject({ type: z.literal('set_contact'), contact: NewOutsideContact.nullable() })
  .meta({
    id: 'BulkSetContact',
    description:
      'Sets who outside the organization does the work, or removes them. One mail tells a contact of all actions.',
  });

const Cancel = z
  .strictObject({
    type: z.literal('cancel'),
    note: Text.default('').meta({ description: 'Why. The history of an issue shows it.' }),
  })
  .meta({ id: 'BulkCancel', description: 'Cancels a corrective action, or rejects an issue.' });

const AnyAction = z.discriminatedUnion('type', [
  Reassign,
  SetDue,
  Verify,
  Archive,
  Tag,
  Move,
  SetContact,
  Cancel,
]);
export type BulkAction = z.output<typeof AnyAction>;

/* On which rows */

/**
 * A filter of a body by any of several values. One need not stand in a list: for some filters, that was once the only
 * form.
 */
const oneOrMore = <Value extends z.ZodType>(value: Value) => {
  const several = anyOf(value, 'Any of these values.');
  return z
    .union([value, several.unwrap()])
    .transform((given) => [given].flat() as z.output<Value>[])
    .optional()
    .meta({ description: 'Any of these values. A single one need not stand in a list.' });
};

const PAGE = { limit: true, cursor: true } as const;

const ids = z
  .array(Uuid)
  .min(1)
  .max(MAX_BULK_IDS)
  .optional()
  .meta({ description: 'Exactly these rows. Not with other filters.' });

/** The filters of a list, or the ids of its rows. */
const bulkFilter = <Shape extends z.ZodRawShape>({ shape }: z.ZodObject<Shape>) =>
  z.strictObject({ ...shape, ids }).check(({ value, issues }) => {
    const given = Object.entries(value as object).filter(([, each]) => each !== undefined);
    if ((value as { ids?: unknown }).ids !== undefined && given.length > 1)
      issues.push({
        code: 'custom',
        message: 'Value error, ids cannot be combined with other filters',
        input: value,
        path: ['ids'],
      });
  });

/** The filters of each list, and what can be done to its rows. */
const BULK_RESOURCES = {
  inspections: {
    filter: bulkFilter(z.strictObject({ ...inspectionListFilters, asset_id: oneOrMore(Uuid) })).meta({
      id: 'BulkInspectionFilter',
      description: 'The filters of the list of inspections; `{}` finds all.',
    }),
    action: z.discriminatedUnion('type', [Reassign, SetDue, Archive, Tag, Move]),
  },
  corrective_actions: {
    filter: bulkFilter(allCorrectiveActionsQuery.omit(PAGE)).meta({
      id: 'BulkCorrectiveActionFilter',
      description: 'The filters of the list of corrective actions; `{}` finds all.',
    }),
    action: z.discriminatedUnion('type', [Reassign, SetDue, Verify, Tag, SetContact, Cancel]),
  },
  issues: {
    filter: bulkFilter(
      issueQuery.omit(PAGE).extend({ asset_id: oneOrMore(Uuid), source: oneOrMore(IssueSource) }),
    ).meta({ id: 'BulkIssueFilter', description: 'The filters of the list of issues; `{}` finds all.' }),
    action: z.discriminatedUnion('type', [Reassign, SetDue, Tag, Move, Cancel]),
  },
  locations: {
    filter: bulkFilter(
      LocationQuery.omit({ limit: true, offset: true }).extend({
        source: oneOrMore(LocationSource),
        status: oneOrMore(LocationStatus),
      }),
    ).meta({
      id: 'BulkLocationFilter',
      description: 'The filters of the list of locations; `{}` finds all.',
    }),
    action: z.discriminatedUnion('type', [Archive, Tag, Move]),
  },
  assets: {
    filter: bulkFilter(assetQuery.omit(PAGE)).meta({
      id: 'BulkAssetFilter',
      description: 'The filters of the list of assets; `{}` finds all.',
    }),
    action: z.discriminatedUnion('type', [Archive, Tag, Move]),
  },
  schedules: {
    filter: bulkFilter(ScheduleQuery.omit(PAGE)).meta({
      id: 'BulkScheduleFilter',
      description: 'The filters of the list of schedules; `{}` finds all.',
    }),
    action: z.discriminatedUnion('type', [Reassign, Archive]),
  },
} as const;
export type BulkResource = keyof typeof BULK_RESOURCES;

/** What can be done to the rows of a list, and the types of its filters that are no texts. */
export interface BulkChoices {
  actions: readonly BulkAction['type'][];
  /** Filters that take several values. */
  several: readonly string[];
  flags: readonly string[];
  numbers: readonly string[];
}

/** The declared type of a filter, without what says that it may be left out. */
const typeOf = (schema: z.core.$ZodType): string => {
  const { def } = schema._zod as { def: { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType } };
  const inner = def.innerType ?? def.in;
  return inner ? typeOf(inner) : def.type;
};

/** The same for all lists: what a page can offer without the schemas. */
export const bulkChoices = (): Record<BulkResource, BulkChoices> =>
  Object.fromEntries(
    Object.entries(BULK_RESOURCES).map(([resource, { filter, action }]) => {
      const filters = Object.entries(filter.shape as z.ZodRawShape);
      const ofType = (...types: string[]) =>
        filters.filter(([, schema]) => types.includes(typeOf(schema))).map(([name]) => name);
      const choices: BulkChoices = {
        actions: action.options.map(({ shape }) => shape.type.value),
        several: ofType('array', 'union'),
        flags: ofType('boolean'),
        numbers: ofType('number'),
      };
      return [resource, choices];
    }),
  ) as Record<BulkResource, BulkChoices>;

export type BulkFilter<Of extends BulkResource> = z.output<(typeof BULK_RESOURCES)[Of]['filter']>;
export type BulkActionOn<Of extends BulkResource> = z.output<(typeof BULK_RESOURCES)[Of]['action']>;

const DryRun = z.boolean().default(true).meta({
  description:
    '`true`: it stops when it is known what would change; `PATCH` with `status: running` then carries exactly this out. `false`: it is carried out at once.',
});

const newOn = <Of extends BulkResource>(of: Of) => {
  const { filter, action } = BULK_RESOURCES[of];
  return z.strictObject({
    resource: z.literal(of).meta({ description: 'The list that the rows belong to.' }),
    filter,
    action,
    dry_run: DryRun,
  });
};

export const NewBulkChange = z
  .discriminatedUnion('resource', [
    newOn('inspections').meta({ id: 'NewInspectionBulkChange' }),
    newOn('corrective_actions').meta({ id: 'NewCorrectiveActionBulkChange' }),
    newOn('issues').meta({ id: 'NewIssueBulkChange' }),
    newOn('locations').meta({ id: 'NewLocationBulkChange' }),
    newOn('assets').meta({ id: 'NewAssetBulkChange' }),
    newOn('schedules').meta({ id: 'NewScheduleBulkChange' }),
  ])
  .meta({
    id: 'NewBulkChange',
    description: `\`filter\` takes what the list of the resource takes, and finds at most ${MAX_BULK_ROWS} rows.`,
  });
export type NewBulkChange = z.output<typeof NewBulkChange>;

/* The bulk change, and its rows */

const BulkChangeStatus = z
  .enum(['planning', 'planned', 'running', 'stopped', 'completed', 'cancelled', 'failed'])
  .meta({
    description:
      '`planning`: it finds out what would change. `planned`: the dry run is complete, and nothing was changed. `running`: its rows are changed. `stopped`: it can go on. `cancelled`: rows that are not changed stay as they are.',
  });

/** A number of rows, which changes while the worker goes on. */
const rows = (description: string) => Count.meta({ description: `${description} ${UNTOLD}` });

export const BulkChange = z
  .strictObject({
    ...resourceFields,
    resource: z
      .enum(Object.keys(BULK_RESOURCES) as [BulkResource, ...BulkResource[]])
      .meta({ description: 'The list that the rows belong to.' }),
    filter: z.record(z.string(), z.unknown()).meta({ description: 'The filter, as the request gave it.' }),
    action: AnyAction,
    dry_run: z.boolean().meta({ description: 'Whether it stops when it is known what would change.' }),
    status: BulkChangeStatus,
    updated_at: Timestamp.meta({ description: UNTOLD }),
    total: rows('Rows that the filter has found; 0 before.'),
    planned: rows('Rows that would change, and are not changed yet.'),
    changed: rows('Rows that were changed.'),
    unchanged: rows('Rows that are as they would be.'),
    refused: rows('Rows whose change is not possible, or not allowed.'),
    outdated: rows('Rows that somebody else has changed since the dry run. They stay as they are.'),
    error: z
      .string()
      .nullable()
      .meta({ description: 'Why it has failed, or was stopped by the service; else null.' }),
    requested_by: z.string(),
    acted_via_key_id: ActedViaKeyId,
    ended_at: Timestamp.nullable().meta({
      description: 'When it was completed or cancelled, or has failed; null before.',
    }),
    expires_at: Timestamp.meta({ description: 'Until when it can be read.' }),
  })
  .meta({ id: 'BulkChange', description: 'The same change of all rows that a filter finds.' });
export type BulkChange = z.output<typeof BulkChange>;

export const BulkChangeStep = z
  .strictObject({
    status: z.enum(['running', 'stopped', 'cancelled']).meta({
      description:
        '`running` carries out what the dry run has listed, or goes on after a stop; `stopped` stops it before the next row; `cancelled` ends it.',
    }),
  })
  .meta({ id: 'BulkChangeStep' });
export type BulkChangeStep = z.output<typeof BulkChangeStep>;

const BulkOutcome = z.enum(['planned', 'changed', 'unchanged', 'refused', 'outdated']);
export type BulkOutcome = z.output<typeof BulkOutcome>;

const FieldChange = z
  .strictObject({ field: z.string(), from: z.unknown(), to: z.unknown() })
  .meta({ id: 'FieldChange', description: 'The value of a field before and after a change.' });
export type FieldChange = z.output<typeof FieldChange>;

export const BulkChangeRow = z
  .strictObject({
    position: Count.meta({ description: 'Its position among the rows of the bulk change, from 0.' }),
    resource_id: Uuid.meta({ description: 'The row: an inspection, an action, and so on.' }),
    name: z.string().meta({ description: 'Its name or title, at the time of the dry run.' }),
    outcome: BulkOutcome.meta({
      description:
        '`planned`: it would change. `outdated`: somebody else has changed or deleted it since the dry run, so it stays as it is.',
    }),
    changes: z.array(FieldChange).meta({
      description:
        'What would change, or was changed. Times of the change itself, and what follows from time alone, are left out.',
    }),
    code: z.string().nullable().meta({
      description: 'The `X-Error-Code` that the operation for this row alone would return; else null.',
    }),
    detail: z
      .union([z.string(), z.array(Problem)])
      .nullable()
      .meta({ description: 'Why it was not changed; else null.' }),
    updated_at: Timestamp,
  })
  .meta({ id: 'BulkChangeRow', description: 'What became of one row of a bulk change.' });
export type BulkChangeRow = z.output<typeof BulkChangeRow>;

export const bulkChangeQuery = listQuery({
  status: z
    .array(BulkChangeStatus)
    .max(BulkChangeStatus.options.length)
    .optional()
    .meta({ description: 'Any of these statuses; the parameter can be repeated.' }),
});
export type BulkChangeQuery = z.output<typeof bulkChangeQuery>;

export const bulkRowQuery = listQuery({
  outcome: z
    .array(BulkOutcome)
    .max(BulkOutcome.options.length)
    .optional()
    .meta({ description: 'Any of these outcomes; the parameter can be repeated.' }),
});
export type BulkRowQuery = z.output<typeof bulkRowQuery>;
