import * as z from 'zod';
import { trimmed } from '../base/text.ts';
import {
  ExpectedVersion,
  ExternalRef,
  MAX_PAGE,
  Name,
  resourceFields,
  resourceVersion,
  SearchText,
  Timestamp,
  Uuid,
} from './common.ts';
import { TimeZone } from './organization.ts';

const text = (maxLength: number) =>
  z
    .string()
    .max(maxLength)
    .nullable()
    .transform((value) => (value && trimmed(value)) || null);

export const LocationStatus = z.enum(['active', 'inactive']);
export const LocationSource = z.enum(['local', 'synced']);

const fields = {
  name: Name,
  kind: text(50).meta({
    description: 'What kind of place it is, in the organization’s own words.',
    examples: ['building'],
  }),
  parent_id: Uuid.nullable().meta({
    description: 'The location that contains this one; both have the same client account.',
  }),
  address: text(1_000),
  lat: z.number().min(-90).max(90).nullable(),
  lng: z.number().min(-180).max(180).nullable(),
  timezone: TimeZone.nullable(),
  status: LocationStatus,
  external_ref: ExternalRef.nullable(),
};

const client_account_id = Uuid.nullable().meta({
  description: 'Set when the location is created; it cannot be changed.',
});

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
    version: resourceVersion(),
  })
  .meta({
    id: 'Location',
    description: 'A place where inspections are carried out: a site, a building, an area or a machine.',
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
