import * as z from 'zod';
import { Count, listQuery, Name, Timestamp, UNNOTICED, Uuid } from '../common.ts';
import { changedAs, derived, initially, later, omittable, once, optional, resource } from '../resource.ts';
import { ResponseOption } from '../templates/content.ts';
import { IntegrationProblem, SyncRun } from './run.ts';
import { ExternalId, FieldType, Level, VendorId } from './vendor.ts';

/** Groups of a board that a source can name. */
const MAX_GROUPS = 100;

/** Fields that a source can fill, and values of one field that it can translate. */
const MAX_MAPPINGS = 50;
const MAX_MAPPED_VALUES = 500;

/** Minutes between two scheduled syncs. */
const SCHEDULE_MINUTES = { min: 15, max: 10_080 };

/** What can be synced. Members are synced by directory sources alone. */
export const TARGETS = ['locations', 'client_accounts', 'response_sets', 'members'] as const;
export const TargetRef = z.enum(TARGETS);
export type TargetRef = z.output<typeof TargetRef>;

const SourceTarget = TargetRef.exclude(['members']);

const FieldKey = z.string().min(1).max(50);

/** Limits the number of entries of a record. */
const atMost = <Schema extends z.ZodRecord>(schema: Schema, most: number) =>
  schema.refine((record) => Object.keys(record).length <= most, {
    error: `Value error, should have at most ${most} entries`,
  });

export const Mappings = atMost(z.record(FieldKey, ExternalId), MAX_MAPPINGS).meta({
  description:
    'Which column fills which field: ids of columns by keys of fields. `GET /integrations/reference-fields/{target_ref}` lists the fields.',
  examples: [{ name: 'name', address: 'text_1', kind: 'status_1' }],
});
export type Mappings = z.output<typeof Mappings>;

const ValueMap = atMost(
  z.record(z.string().max(500), z.union([z.string().max(1_000), z.number(), z.boolean(), z.null()])),
  MAX_MAPPED_VALUES,
);

export const ValueMaps = atMost(z.record(FieldKey, ValueMap), MAX_MAPPINGS).meta({
  description:
    'For single fields, what a column’s text means. A text that is not listed is taken as it is; case is ignored.',
  examples: [{ kind: { Bldg: 'building' } }],
});
export type ValueMaps = z.output<typeof ValueMaps>;

const ScheduleMinutes = z
  .int()
  .min(SCHEDULE_MINUTES.min)
  .max(SCHEDULE_MINUTES.max)
  .nullable()
  .meta({ description: 'How often the service syncs it, in minutes. Null: only on request.' });

/** What every source shows besides its settings. */
const state = {
  connection_id: Uuid,
  vendor: VendorId,
  status: z.enum(['active', 'paused', 'error']).meta({
    description:
      '`paused`: it is not synced. `error`: the last sync failed for a reason that lasts; see `problem`. A sync that succeeds ends it.',
  }),
  problem: IntegrationProblem.nullable(),
  warning: z.string().nullable().meta({
    description: 'What may go wrong, such as a schedule that uses up the vendor’s calls of a day.',
  }),
  next_sync_at: Timestamp.nullable(),
  last_synced_at: Timestamp.nullable().meta({ description: 'When it was last read to its end.' }),
  last_run: SyncRun.nullable(),
  rows_count: Count.meta({
    description: `Number of active rows that come from it, as of the last sync. ${UNNOTICED}`,
  }),
  created_by: Uuid,
};

const VERSION = 'Increases with every change of the settings. Syncs do not change it.';

export const { Source, NewSource, SourceChanges } = resource(
  'Source',
  {
    target_ref: once(SourceTarget),
    name: Name,
    board_id: once(ExternalId),
    group_ids: initially(
      [],
      z
        .array(ExternalId)
        .max(MAX_GROUPS)
        .meta({ description: 'Only items of these groups; of all when empty.' }),
    ),
    level: once(
      initially(
        'item',
        Level.meta({ description: 'Whether the board’s items are the rows, or the items below these.' }),
      ),
    ),
    identity_column: optional(
      ExternalId.nullable().meta({
        description: 'The column by which a row is known again. Null: the vendor’s id of the item.',
      }),
    ),
    mappings: changedAs(Mappings.meta({ description: 'Replaces all mappings.' }), Mappings),
    value_maps: changedAs(
      ValueMaps.meta({ description: 'Replaces all value maps.' }),
      initially({}, ValueMaps),
    ),
    on_missing: initially(
      'deactivate',
      z.enum(['deactivate', 'keep']).meta({
        description: 'What happens to a row whose item has gone from the board.',
      }),
    ),
    schedule_minutes: optional(ScheduleMinutes),
    ...derived({ board_name: z.string(), ...state }),
    status: later(
      changedAs(
        z.enum(['active', 'paused']).meta({
          description:
            '`paused`: a sync that runs is cancelled. `active`: it is synced again, by its schedule.',
        }),
        state.status,
      ),
    ),
  },
  { description: 'A board of another system whose rows are synced.', version: VERSION },
);
export type Source = z.output<typeof Source>;
export type NewSource = z.output<typeof NewSource>;
export type SourceChanges = Omit<z.output<typeof SourceChanges>, 'expected_version'>;

export const { DirectorySource, NewDirectorySource } = resource(
  'DirectorySource',
  {
    name: Name,
    kind: omittable(
      z.enum(['users', 'board']).meta({
        description: '`users`: everybody in the vendor’s account. `board`: the items of a board are people.',
      }),
      'board when `board_id` is given, else users.',
    ),
    board_id: optional(ExternalId.nullable()),
    ...derived({ board_name: z.string().nullable() }),
    mappings: initially({}, Mappings, 'Only of a board: the columns of `name`, `email` and `position`.'),
    schedule_minutes: optional(ScheduleMinutes),
    ...derived(state),
    connection_id: Uuid,
  },
  {
    description: 'A list of people at another system, who may become members.',
    version: VERSION,
    created: { before: { connection_id: 'name' } },
  },
);
export type DirectorySource = z.output<typeof DirectorySource>;
export type NewDirectorySource = z.output<typeof NewDirectorySource>;

export const SourceRow = z
  .strictObject({
    external_id: z
      .string()
      .meta({ description: 'The id by which an answer of type `reference` names the row.' }),
    item_id: z.string().meta({ description: 'The vendor’s id of the item.' }),
    resource_id: Uuid.nullable().meta({
      description: 'The location or client account that it has become; null for an option.',
    }),
    option: ResponseOption.pick({ value: true, label: true, color: true, score: true, is_failed: true })
      .nullable()
      .meta({ description: 'Only of a source of `response_sets`.' }),
    is_active: z.boolean().meta({ description: 'Whether its item is still on the board.' }),
    updated_at: Timestamp,
  })
  .meta({ id: 'SourceRow', description: 'A row that has come from a source.' });
export type SourceRow = z.output<typeof SourceRow>;

export const sourceRowQuery = listQuery({
  is_active: z.boolean().optional().meta({ description: 'Only active rows, or only those that have gone.' }),
});
export type SourceRowQuery = z.output<typeof sourceRowQuery>;

export const ReferenceField = z
  .strictObject({
    key: z.string(),
    label: z.string(),
    type: FieldType,
    required: z.boolean(),
    is_identity: z.boolean().meta({ description: 'Whether people know a row by it, as by its name.' }),
    accepts_column_types: z.array(FieldType).meta({
      description: 'The field can be filled by a column whose `target_field_types` contain one of these.',
    }),
  })
  .meta({ id: 'ReferenceField', description: 'A field that a column can fill.' });
export type ReferenceField = z.output<typeof ReferenceField>;
