import * as z from 'zod';
import {
  ActedViaKeyId,
  ExpectedVersion,
  ExternalRef,
  Instant,
  listQuery,
  Name,
  searchFilter,
  Text,
  Timestamp,
  Uuid,
  VisibleText,
} from '../common.ts';
import { Media } from '../inspections/answer.ts';
import { labelFields, labelFilters } from '../labels.ts';
import { derived, initially, optional, resource, shownAs } from '../resource.ts';
import { aboveFilters } from '../surroundings.ts';
import { MAX_FIELDS } from './asset-kind.ts';

export const AssetStatus = z.enum(['in_service', 'out_of_service', 'decommissioned']);
export type AssetStatus = z.output<typeof AssetStatus>;

/** The statuses that a request can set. A decommissioning has an operation of its own. */
const KeptStatus = AssetStatus.exclude(['decommissioned']);

const AssetValue = z
  .strictObject({
    field_id: Uuid,
    label: z.string().meta({ description: 'The field as it was when the value was recorded.' }),
    value: z.unknown(),
  })
  .meta({ id: 'AssetValue', description: 'What is recorded of an asset in a field of its kind.' });
export type AssetValue = z.output<typeof AssetValue>;

const NewAssetValue = z
  .strictObject({
    field_id: Uuid,
    value: z.unknown().meta({
      description: 'In the form of an answer to a template’s field of the same type; null for none.',
    }),
  })
  .meta({ id: 'NewAssetValue' });

const INSTALLED = 'When it was put into operation; null when that is not known.';

const Word = VisibleText.min(1).max(200);

export const { Asset, NewAsset, AssetChanges } = resource(
  'Asset',
  {
    ...derived({
      number: z
        .int()
        .min(1)
        .meta({ description: 'A sequential number within the organization; gaps are possible.' }),
    }),
    name: Name.meta({ description: 'What people call the asset.', examples: ['Lift A'] }),
    kind_id: optional(
      Uuid.nullable().meta({
        description:
          'The kind of asset. When it changes, values that the new kind has no field for are dropped.',
      }),
    ),
    serial: optional(
      Word.nullable().meta({ description: 'The serial number that the manufacturer gave it.' }),
    ),
    manufacturer: optional(Word.nullable().meta({ description: 'Who made it.' })),
    location_id: optional(
      Uuid.nullable().meta({
        description:
          'Where the asset is; null for nowhere. Its inspections and issues may have another location.',
      }),
    ),
    parent_id: optional(
      Uuid.nullable().meta({
        description:
          'The asset that contains this one. Assets are at most 10 levels deep. Each has a location of its own.',
      }),
    ),
    status: shownAs(
      AssetStatus,
      initially(
        'in_service',
        KeptStatus.meta({
          description:
            '`in_service` puts a decommissioned asset into service again. Inspections and schedules that ended with its decommissioning do not come back.',
        }),
      ),
    ),
    installed_at: shownAs(
      Timestamp.nullable().meta({ description: INSTALLED }),
      optional(Instant.nullable().meta({ description: INSTALLED })),
    ),
    ...derived({
      decommissioned_at: Timestamp.nullable().meta({
        description: 'When it was decommissioned; null unless it is.',
      }),
    }),
    media: initially(
      [],
      Media.meta({
        description: 'Photos and documents of the asset, such as its manual; the first photo shows it.',
      }),
    ),
    values: shownAs(
      z.array(AssetValue),
      initially(
        [],
        z.array(NewAssetValue).max(MAX_FIELDS).meta({
          description: 'What is recorded in the fields of its kind. A change replaces all of them.',
        }),
      ),
    ),
    external_ref: optional(
      ExternalRef.nullable().meta({ description: 'The client’s own id of the asset, unique among assets.' }),
    ),
    ...labelFields,
  },
  { description: 'A device, machine or other thing that is inspected, wherever it is.' },
);
export type Asset = z.output<typeof Asset>;
export type NewAsset = z.output<typeof NewAsset>;
export type AssetChanges = Omit<z.output<typeof AssetChanges>, 'expected_version'>;

export const Decommissioning = z
  .strictObject({
    reason: Text.default('').meta({
      description: 'Why an asset is decommissioned; its history shows it.',
      examples: ['Replaced by a new lift'],
    }),
    expected_version: ExpectedVersion.optional(),
  })
  .meta({ id: 'Decommissioning' });
export type Decommissioning = Omit<z.output<typeof Decommissioning>, 'expected_version'>;

export const DecommissionedAsset = Asset.extend({
  ended_schedule_ids: z.array(Uuid).meta({
    description:
      'The schedules that named the asset, and from which it was taken out by this request. One without another asset is paused.',
  }),
  ended_inspection_ids: z.array(Uuid).meta({
    description:
      'The inspections of the asset that nobody had started, and that were archived by this request.',
  }),
}).meta({ id: 'DecommissionedAsset', description: 'A decommissioned asset, and what has ended with it.' });
export type DecommissionedAsset = z.output<typeof DecommissionedAsset>;

const AssetActivityKind = z.enum(['created', 'moved', 'status_changed', 'edited']);
export type AssetActivityKind = z.output<typeof AssetActivityKind>;

export const AssetActivity = z
  .strictObject({
    id: Uuid,
    kind: AssetActivityKind,
    actor_id: Uuid.nullable().meta({ description: 'Null for the service itself.' }),
    acted_via_key_id: ActedViaKeyId,
    from: z.string().nullable().meta({
      description: 'The id of the location, or the status, before the change; null when there was none.',
    }),
    to: z.string().nullable().meta({
      description:
        'The id of the location, or the status, after the change; for an edit, the names of the fields that it changed.',
    }),
    note: Text.meta({ description: 'Why the asset was decommissioned; otherwise empty.' }),
    at: Timestamp,
  })
  .meta({ id: 'AssetActivity', description: 'One event in the history of an asset.' });
export type AssetActivity = z.output<typeof AssetActivity>;

export const assetQuery = listQuery({
  ...searchFilter,
  kind_id: Uuid.optional().meta({ description: 'Only assets of this kind.' }),
  location_id: Uuid.optional().meta({ description: 'Only assets directly at this location.' }),
  ...aboveFilters,
  parent_id: Uuid.optional().meta({ description: 'Only assets directly in this one.' }),
  status: z
    .array(AssetStatus)
    .max(AssetStatus.options.length)
    .optional()
    .meta({ description: 'Any of these statuses; the parameter can be repeated.' }),
  external_ref: ExternalRef.optional().meta({ description: 'Only the asset that has this reference.' }),
  ...labelFilters,
});
export type AssetQuery = z.output<typeof assetQuery>;
