import * as z from 'zod';
import {
  Count,
  ExpectedVersion,
  ExternalRef,
  Name,
  NullableText,
  resourceFields,
  resourceVersion,
  Timestamp,
  Uuid,
} from './common.ts';
import { contactFields } from './contact.ts';
import { LocationSource } from './location.ts';

const Contact = z.strictObject(contactFields).meta({ id: 'Contact' });

/** CSS Color Module Level 4, "HSL Colors": a hue in degrees of one turn, then percentages. */
const HSL = /^(360|3[0-5]\d|[12]\d\d|[1-9]?\d) (100|[1-9]?\d)% (100|[1-9]?\d)%$/;

const fields = {
  name: Name,
  brand_primary: z
    .string()
    .regex(HSL)
    .nullable()
    .meta({
      description:
        'The brand colour in HSL: `<hue> <saturation>% <lightness>%`, from `0 0% 0%` to `360 100% 100%`.',
      examples: ['210 80% 40%'],
    }),
  logo_url: z
    .url({ protocol: /^https$/ })
    .max(2_000)
    .nullable(),
  notes: NullableText,
  external_ref: ExternalRef.nullable(),
  is_active: z.boolean(),
};

export const ClientAccount = z
  .strictObject({
    ...resourceFields,
    ...fields,
    notes: z.string().nullable(),
    contact: Contact,
    locations_count: Count,
    source: LocationSource.meta({
      description: 'synced: some of its fields come from another system and are changed there.',
    }),
    source_id: Uuid.nullable(),
    external_id: z.string().nullable(),
    synced_at: Timestamp.nullable(),
    version: resourceVersion(),
  })
  .meta({
    id: 'ClientAccount',
    description: 'A client of the organization, at whose locations it inspects.',
  });
export type ClientAccount = z.output<typeof ClientAccount>;

export const ClientAccountEventData = ClientAccount.omit({ locations_count: true }).meta({
  id: 'ClientAccountEventData',
  description: 'A client account without `locations_count`.',
});

export const NewClientAccount = z
  .strictObject({
    name: Name,
    brand_primary: fields.brand_primary.default(null),
    logo_url: fields.logo_url.default(null),
    contact: Contact.partial().default({}),
    notes: fields.notes.default(null),
    external_ref: fields.external_ref.default(null),
    is_active: fields.is_active.default(true),
  })
  .meta({ id: 'NewClientAccount' });
export type NewClientAccount = z.output<typeof NewClientAccount>;

export const ClientAccountChanges = z
  .strictObject({ ...fields, contact: Contact.partial(), expected_version: ExpectedVersion })
  .partial()
  .meta({ id: 'ClientAccountChanges' });
export type ClientAccountChanges = Omit<z.output<typeof ClientAccountChanges>, 'expected_version'>;
