import * as z from 'zod';
import { trimmed } from '../base/text.ts';
import {
  Count,
  ExternalRef,
  MAX_PAGE,
  Name,
  NamedPlace,
  NullableWord,
  SearchText,
  Timestamp,
  Uuid,
  VisibleText,
} from './common.ts';
import { labelFields, labelFilters } from './labels.ts';
import { TimeZone } from './organization.ts';
import { derived, initially, once, optional, resource, shownAs } from './resource.ts';
import { anyOf } from './surroundings.ts';

const Address = z
  .string()
  .max(1_000)
  .nullable()
  .transform((text) => (text && trimmed(text)) || null);

export const LocationStatus = z.enum(['active', 'inactive']);
export const LocationSource = z.enum(['local', 'synced']);

/** People of a location or region. */
const MAX_PEOPLE = 20;

/** A member who looks after a location or region, and as what. */
export const LocationPerson = z
  .strictObject({
    user_id: Uuid,
    role: VisibleText.min(1)
      .max(50)
      .meta({
        description:
          'What the member is at this location or in this region, in the organization’s own words.',
        examples: ['manager'],
      }),
  })
  .meta({
    id: 'LocationPerson',
    description: 'A member of the organization who looks after a location or region.',
  });
export type LocationPerson = z.output<typeof LocationPerson>;

export const People = z
  .array(LocationPerson)
  .max(MAX_PEOPLE)
  .check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [position, person] of value.entries()) {
      const { user_id, role } = person;
      if (seen.has(`${user_id} ${role}`)) {
        const message = 'Value error, the member has this role already';
        issues.push({ code: 'custom', message, input: person, path: [position] });
      }
      seen.add(`${user_id} ${role}`);
    }
  })
  .meta({
    description:
      'Members who look after the location. A schedule with `assignees: by_place` assigns its inspections there to those of them who can carry out inspections.',
  });

export const { Location, NewLocation, LocationChanges } = resource(
  'Location',
  {
    name: Name,
    kind: shownAs(
      z.string().nullable(),
      optional(
        NullableWord.meta({
          description: 'What kind of place it is, in the organization’s own words.',
          examples: ['building'],
        }),
      ),
    ),
    parent_id: optional(
      Uuid.nullable().meta({
        description:
          'The location that contains this one; both have the same client account. Locations are at most 10 levels deep. A location moves with all that is below it.',
      }),
    ),
    address: shownAs(z.string().nullable(), optional(Address)),
    lat: optional(z.number().min(-90).max(90).nullable()),
    lng: optional(z.number().min(-180).max(180).nullable()),
    timezone: optional(TimeZone.nullable()),
    status: initially(
      'active',
      LocationStatus.meta({
        description:
          'Schedules create no inspections at an inactive location. Inspections that they have created there, and that nobody has started, are archived. Once it is active again, they go on with what lies ahead.',
      }),
    ),
    external_ref: optional(ExternalRef.nullable()),
    people: initially([], People),
    region_id: optional(
      Uuid.nullable().meta({
        description:
          'The region in which the location is; null for none. A location is in one region at most.',
      }),
    ),
    ...labelFields,
    client_account_id: once(
      optional(
        Uuid.nullable().meta({
          description:
            'Set when the location is created. `POST /locations/{location_id}/transfer` alone changes it.',
        }),
      ),
    ),
    ...derived({
      path: z
        .array(NamedPlace)
        .meta({ description: 'The locations above this one, from the outermost one on.' }),
      source: LocationSource,
      source_id: Uuid.nullable(),
      external_id: z.string().nullable(),
      synced_at: Timestamp.nullable(),
    }),
  },
  {
    description: 'A place where inspections are carried out: a site, a building, an area or a machine.',
    created: { before: { client_account_id: 'parent_id' } },
  },
);
export type Location = z.output<typeof Location>;

export const LocationEventData = Location.omit({ path: true }).meta({
  id: 'LocationEventData',
  description: 'A location without `path`.',
});
type LocationEventData = z.output<typeof LocationEventData>;

/** A location as it is stored. */
export type ListedLocation = LocationEventData;
export type NewLocation = z.output<typeof NewLocation>;
export type LocationChanges = Omit<z.output<typeof LocationChanges>, 'expected_version'>;

export const LocationMerge = z
  .strictObject({
    into: Uuid.meta({ description: 'The id of the location that takes its place.' }),
    dry_run: z.boolean().default(false).meta({
      description: 'Changes nothing, and lists in `items` what the same request would change now.',
    }),
  })
  .meta({ id: 'LocationMerge' });
export type LocationMerge = z.output<typeof LocationMerge>;

const MergeItem = z
  .strictObject({
    kind: z
      .enum([
        'location',
        'inspection',
        'finding',
        'corrective_action',
        'issue',
        'asset',
        'certificate',
        'schedule',
        'public_link',
      ])
      .meta({ id: 'MergedKind' }),
    id: Uuid,
    name: z.string().meta({ description: 'Its name, title or label.' }),
  })
  .meta({ id: 'MergeItem', description: 'Something that would get the other location.' });
export type MergeItem = z.output<typeof MergeItem>;

const MergeCounts = z
  .strictObject({
    locations: Count.meta({
      description: 'The locations directly below it. What is below these goes with them.',
    }),
    inspections: Count.meta({ description: 'The inspections at it, the finished ones included.' }),
    findings: Count.meta({ description: 'The findings there.' }),
    corrective_actions: Count.meta({ description: 'The corrective actions there.' }),
    issues: Count.meta({ description: 'The issues there.' }),
    assets: Count.meta({ description: 'The assets directly at it.' }),
    certificates: Count.meta({ description: 'The certificates of its inspections.' }),
    schedules: Count.meta({ description: 'The schedules that name it.' }),
    public_links: Count.meta({ description: 'The public links that name it.' }),
  })
  .meta({ id: 'MergeCounts', description: 'How many of each would get the other location.' });
export type MergeCounts = z.output<typeof MergeCounts>;

export const MergedLocation = Location.extend({
  counts: MergeCounts.optional().meta({ description: 'How many of each are in `items`.' }),
  items: z
    .array(MergeItem)
    .optional()
    .meta({ description: 'All that would get this location. Only with `dry_run`.' }),
}).meta({
  id: 'MergedLocation',
  description: 'The location that has taken the place of another one, or would take it.',
});
export type MergedLocation = z.output<typeof MergedLocation>;

/** Unlike other lists, locations are paged by limit and offset (contract, "Limits"). */
export const LocationQuery = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(MAX_PAGE)
    .optional()
    .meta({ description: 'The maximum number of rows; all rows when left out.' }),
  offset: z.int().min(0).default(0).meta({ description: 'The number of rows to skip.' }),
  q: SearchText.optional().meta({
    description: 'A part of the name, the address or the `external_ref`; case is ignored.',
  }),
  parent_id: Uuid.optional().meta({ description: 'Only locations directly in this one.' }),
  within: Uuid.optional().meta({ description: 'Only this location and all that are below it.' }),
  region_id: Uuid.optional().meta({
    description: 'Only locations in this region, or in one that is below it.',
  }),
  kind: VisibleText.min(1).max(50).optional().meta({ description: 'Only locations of this kind.' }),
  ...labelFilters,
  client_account_id: Uuid.optional().meta({ description: 'Only locations of this client account.' }),
  source: anyOf(LocationSource, 'Only from one of these sources.'),
  status: anyOf(LocationStatus, 'Any of these statuses.'),
  external_ref: ExternalRef.optional().meta({ description: 'Only the one with this `external_ref`.' }),
  updated_since: z.iso
    .datetime()
    .optional()
    .meta({ description: 'Only locations that changed at or after this time.' }),
});
export type LocationQuery = z.output<typeof LocationQuery>;
