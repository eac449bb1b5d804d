import * as z from 'zod';
import { ExpectedVersion, ExternalRef, Name, resourceFields, Timestamp, Uuid } from './common.ts';
import { TimeZone } from './organization.ts';

const text = (longest: number) =>
  z
    .string()
    .max(longest)
    .nullable()
    .transform((value) => value?.trim() || null);

export const LocationStatus = z.enum(['active', 'inactive']);
export const LocationSource = z.enum(['local', 'synced']);

const fields = {
  name: Name,
  kind: text(50).meta({ description: "In the organization's own words.", examples: ['building'] }),
  parent_id: Uuid.nullable().meta({
    description: 'The location that this one is a part of, of the same client account.',
  }),
  address: text(1_000),
  lat: z.number().min(-90).max(90).nullable(),
  lng: z.number().min(-180).max(180).nullable(),
  timezone: TimeZone.nullable(),
  status: LocationStatus,
  external_ref: ExternalRef.nullable(),
};

const client_account_id = Uuid.nullable().meta({ description: 'Fixed when the location is created.' });

export const Location = z
  .strictObject({
    ...resourceFields,
    ...fields,
    kind: z.string().nullable(),
    address: z.string().nullable(),
    client_account_id,
    source: LocationSource,
    source_id: Uuid.nullable(),
    external_id: z.string().nullable(),
    synced_at: Timestamp.nullable(),
    version: z.int().min(1),
  })
  .meta({
    id: 'Location',
    description: 'Where inspections take place: a site, a building, an area, a machine.',
  });
export type Location = z.output<typeof Location>;

export const NewLocation = z
  .strictObject({
    name: Name,
    kind: fields.kind.default(null),
    client_account_id: client_account_id.default(null),
    parent_id: fields.parent_id.default(null),
    address: fields.address.default(null),
    lat: fields.lat.default(null),
    lng: fields.lng.default(null),
    timezone: fields.timezone.default(null),
    status: fields.status.default('active'),
    external_ref: fields.external_ref.default(null),
  })
  .meta({ id: 'NewLocation' });
export type NewLocation = z.output<typeof NewLocation>;

export const LocationChanges = z
  .strictObject({ ...fields, expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'LocationChanges' });
export type LocationChanges = Omit<z.output<typeof LocationChanges>, 'expected_version'>;

/** Locations page by limit and offset (contract, "Limits"), and by nothing else. */
export const LocationQuery = z.strictObject({
  limit: z
    .int()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'At most so many rows; without it all of them.' }),
  offset: z.int().min(0).default(0).meta({ description: 'How many rows to leave out at the start.' }),
  q: z.string().trim().min(1).max(200).optional().meta({ description: 'Part of the name, in any case.' }),
  client_account_id: Uuid.optional(),
  source: LocationSource.optional(),
  status: LocationStatus.optional(),
  external_ref: ExternalRef.optional(),
  updated_since: z.iso
    .datetime()
    .optional()
    .meta({ description: 'Only what changed at or after this time.' }),
});
export type LocationQuery = z.output<typeof LocationQuery>;
