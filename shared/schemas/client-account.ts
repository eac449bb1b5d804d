import * as z from 'zod';
import { Count, ExternalRef, Name, NullableText, Timestamp, UNNOTICED, Uuid } from './common.ts';
import { contactFields, Email } from './contact.ts';
import { labelFields } from './labels.ts';
import { LocationSource } from './location.ts';
import { MailProgress } from './mail.ts';
import { Locale, Weekday } from './organization.ts';
import { derived, initially, optional, resource, shownAs } from './resource.ts';

const Contact = z.strictObject(contactFields).meta({ id: 'Contact' });

const digestFields = {
  email: Email,
  name: contactFields.name,
  weekday: Weekday.meta({
    description: 'On which day it is sent, at seven in the morning in the organization’s time zone.',
  }),
  locale: Locale.nullable().meta({
    description: 'The language of the mail; null for that of the organization.',
  }),
};

export const ClientDigest = z.strictObject(digestFields).meta({
  id: 'ClientDigest',
  description:
    'A mail once a week to somebody at the client: what was inspected at its own locations, what was found there and is still open, links to the finished reports, and all corrective actions that are open. No mail is sent for a week without any of that, or for an account that is not active. An address that does not belong to an active member is asked first. It gets nothing else before it has agreed.',
});
export type ClientDigest = z.output<typeof ClientDigest>;

const NewClientDigest = z
  .strictObject({
    ...digestFields,
    name: digestFields.name.default(null),
    weekday: digestFields.weekday.default('monday'),
    locale: digestFields.locale.default(null),
  })
  .meta({ id: 'NewClientDigest' });

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
    ...labelFields,
    contact: shownAs(Contact, initially({}, Contact.partial())),
    digest: shownAs(
      ClientDigest.nullable().meta({ description: 'The weekly mail; null without one.' }),
      optional(
        NewClientDigest.nullable().meta({
          description: 'A weekly mail, which replaces the former settings; null for none.',
        }),
      ),
    ),
    ...derived({
      digest_mail: MailProgress.nullable().meta({
        description: `What became of the last weekly mail that there was something to tell in; null without a \`digest\`, and before the first one was due. ${UNNOTICED}`,
      }),
      locations_count: Count.meta({
        description: `How many locations the client account has, inactive ones included. ${UNNOTICED}`,
      }),
      source: LocationSource.meta({
        description: '`synced`: some of its fields come from another system and are changed there.',
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

export const ClientAccountEventData = ClientAccount.omit({
  digest_mail: true,
  locations_count: true,
}).meta({
  id: 'ClientAccountEventData',
  description: 'A client account without `digest_mail` and `locations_count`.',
});
