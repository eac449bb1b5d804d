import * as z from 'zod';
import { Count, ExternalRef, Name, NullableText, Timestamp, Uuid } from './common.ts';
import { contactFields } from './contact.ts';
import { LocationSource } from './location.ts';
import { derived, initially, optional, resource, shownAs } from './resource.ts';

const Contact = z.strictObject(contactFields).meta({ id: 'Contact' });

/** CSS Color Module Level 4, "HSL Colors": a hue in degrees of one turn, then percentages. */
const HSL = /^(360|3[0-5]\d|[12]\d\d|[1-9]?\d) (100|[1-9]?\d)% (100|[1-9]?\d)%$/;

export const { ClientAccount, NewClientAccount, ClientAccountChanges } = resource(
  'ClientAccount',
  {
    name: Name,
    brand_primary: optional(
      z
        .string()
        .regex(HSL)
        .nullable()
        .meta({
          description:
            'The brand colour in HSL: `<hue> <saturation>% <lightness>%`, from `0 0% 0%` to `360 100% 100%`.',
          examples: ['210 80% 40%'],
        }),
    ),
    logo_url: optional(
      z
        .url({ protocol: /^https$/ })
        .max(2_000)
        .nullable(),
    ),
    notes: shownAs(z.string().nullable(), optional(NullableText)),
    external_ref: optional(ExternalRef.nullable()),
    is_active: initially(true, z.boolean()),
    contact: shownAs(Contact, initially({}, Contact.partial())),
    ...derived({
      locations_count: Count,
      source: LocationSource.meta({
        description: 'synced: some of its fields come from another system and are changed there.',
      }),
      source_id: Uuid.nullable(),
      external_id: z.string().nullable(),
      synced_at: Timestamp.nullable(),
    }),
  },
  {
    description: 'A client of the organization, at whose locations it inspects.',
    created: { before: { contact: 'notes' } },
  },
);
export type ClientAccount = z.output<typeof ClientAccount>;
export type NewClientAccount = z.output<typeof NewClientAccount>;
export type ClientAccountChanges = Omit<z.output<typeof ClientAccountChanges>, 'expected_version'>;

export const ClientAccountEventData = ClientAccount.omit({ locations_count: true }).meta({
  id: 'ClientAccountEventData',
  description: 'A client account without `locations_count`.',
});
