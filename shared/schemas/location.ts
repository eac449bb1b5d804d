import * as z from 'zod';
import { trimmed } from '../base/text.ts';
import { ExternalRef, MAX_PAGE, Name, SearchText, Timestamp, Uuid } from './common.ts';
import { TimeZone } from './organization.ts';
import { derived, initially, once, optional, resource, shownAs } from './resource.ts';

const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .nullable()
    .transform((value) => (value && trimmed(value)) || null);

export const LocationStatus = z.enum(['active', 'inactive']);
export const LocationSource = z.enum(['local', 'synced']);

export const { Location, NewLocation, LocationChanges } = resource(
  'Location',
  {
    name: Name,
    kind: shownAs(
      z.string().nullable(),
      optional(
        text(50).meta({
          description: 'What kind of place it is, in the organization’s own words.',
          examples: ['building'],
        }),
      ),
    ),
    parent_id: optional(
      Uuid.nullable().meta({
        description: 'The location that contains this one; both have the same client account.',
      }),
    ),
    address: shownAs(z.string().nullable(), optional(text(1_000))),
    lat: optional(z.number().min(-90).max(90).nullable()),
    lng: optional(z.number().min(-180).max(180).nullable()),
    timezone: optional(TimeZone.nullable()),
    status: initially(
      'active',
      LocationStatus.meta({
        description:
          'At an inactive location schedules create nothing, and what they have created and nobody has started is archived. Once it is active again, they go on with what lies ahead.',
      }),
    ),
    external_ref: optional(ExternalRef.nullable()),
    client_account_id: once(
      optional(
        Uuid.nullable().meta({ description: 'Set when the location is created; it cannot be changed.' }),
      ),
    ),
    ...derived({
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
export type NewLocation = z.output<typeof NewLocation>;
export type LocationChanges = Omit<z.output<typeof LocationChanges>, 'expected_version'>;

/** Unlike other lists, locations are paged by limit and offset (contract, "Limits"). */
export const LocationQuery = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(MAX_PAGE)
    .optional()
    .meta({ description: 'The maximum number of rows; all rows when left out.' }),
  offset: z.int().min(0).default(0).meta({ description: 'The number of rows to skip.' }),
  q: SearchText.optional().meta({ description: 'A part of the name; case is ignored.' }),
  client_account_id: Uuid.optional(),
  source: LocationSource.optional(),
  status: LocationStatus.optional(),
  external_ref: ExternalRef.optional(),
  updated_since: z.iso
    .datetime()
    .optional()
    .meta({ description: 'Only locations that changed at or after this time.' }),
});
export type LocationQuery = z.output<typeof LocationQuery>;
