import * as z from 'zod';
import { COUNTRIES } from '../base/countries.ts';
import { Count, Name, Timestamp, Uuid } from './common.ts';
import { Email } from './contact.ts';
import { MailPause } from './mail.ts';
import { derived, resource, shownAs } from './resource.ts';

/** An IANA time zone that this runtime knows, so that no later conversion can fail. */
export const TimeZone = z
  .string()
  .max(64)
  .refine(
    (zone) => {
      try {
        // Intl accepts offsets too, but these have no daylight saving time.
        return /^[A-Za-z]/.test(zone) && Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }));
      } catch {
        return false;
      }
    },
    { error: 'Value error, not an IANA time zone' },
  )
  .meta({ description: 'An IANA time zone.', examples: ['Europe/Athens'] });

export const Locale = z
  .string()
  .max(35)
  .regex(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/)
  .meta({ description: 'A BCP 47 language tag.', examples: ['en-GB'] });

export const Weekday = z.enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']);

export type Weekday = z.output<typeof Weekday>;

/** How many issues can be reported by a public link in an hour, unless the link or its organization says otherwise. */
export const DEFAULT_SUBMISSIONS_PER_HOUR = 100;

/** How many issues can be reported by a public link in an hour. */
export const SubmissionsPerHour = z.int().min(1).max(10_000);

/** A country. Stored ones may have been withdrawn since. */
const Region = z
  .string()
  .regex(/^[A-Z]{2}$/)
  .meta({ description: 'The country, by ISO 3166-1 alpha-2.', examples: ['GR'] });

export const Handover = z
  .strictObject({
    user_id: Uuid.meta({ description: 'The admin who becomes the owner when they accept.' }),
    named_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: 'Handover', description: 'The owner has named an admin as the next owner.' });
export type Handover = z.output<typeof Handover>;

export const { Organization, OrganizationChanges } = resource('Organization', {
  name: Name,
  reply_to_email: Email.nullable().meta({
    description:
      'Where replies to the mails of the organization go, once `reply_to_confirmed` is true. A new address that does not belong to an active member is asked by a mail.',
  }),
  timezone: TimeZone,
  locale: Locale,
  region: shownAs(
    Region.nullable(),
    Region.refine((code) => COUNTRIES.includes(code), {
      error: 'Value error, not a country of ISO 3166-1',
    }).nullable(),
  ),
  date_format: z.enum(['yyyy-MM-dd', 'dd/MM/yyyy', 'MM/dd/yyyy', 'dd.MM.yyyy']),
  time_format: z.enum(['24h', '12h']),
  week_starts_on: Weekday,
  weekend_days: z.array(Weekday).max(7).meta({
    description:
      'The days that `business_days` of a template leaves out. When all seven are given, none is left out.',
  }),
  client_layer_enabled: z
    .boolean()
    .meta({ description: 'Whether the organization inspects for client accounts.' }),
  four_eyes_verification: z.boolean().nullable().meta({
    description:
      'Whether a corrective action must be verified by someone who has not worked on it, and a correction approved by someone other than those who opened and closed it, also where the template family does not ask for `four_eyes`. Null applies the rule to people, but not to API keys. An API key cannot change this: `403`.',
  }),
  max_submissions_per_hour: SubmissionsPerHour.nullable().meta({
    description: `How many issues can be reported by a public link in an hour, unless the link says another number. Null for ${DEFAULT_SUBMISSIONS_PER_HOUR}.`,
  }),
  max_key_days: z.int().min(30).max(3650).nullable().meta({
    description:
      'How many days an API key can be valid at most, from its creation or last rotation. Older keys go on and show `is_too_old`. Null without a limit. An API key cannot change this: `403`.',
  }),
  owner_user_id: Uuid.meta({
    description:
      'An active admin. Another value is a `403`: the owner hands the organization over in the app, to an admin who accepts.',
  }),
  ...derived({
    handover: Handover.nullable().meta({
      description:
        'The handover to the next owner; null unless the owner has named one who has not answered yet.',
    }),
    reply_to_confirmed: z.boolean().meta({
      description:
        'Whether `reply_to_email` is used: it is an active member’s address, or its owner has agreed. Until then, mails name no address for replies.',
    }),
    logo_url: z.url().nullable().meta({
      description: 'A signed URL, valid for 15 minutes; every read returns a new one. Null without a logo.',
    }),
  }),
});
export type Organization = z.output<typeof Organization>;
export type OrganizationChanges = Omit<z.output<typeof OrganizationChanges>, 'expected_version'>;

export const StorageUse = z
  .strictObject({
    used_bytes: Count.meta({
      description: 'Bytes of all documents and reports, and of the logo. Open uploads are not included.',
    }),
    max_bytes: Count,
  })
  .meta({ description: 'How much the organization stores, and may store.' });

export const OrganizationWithStorage = z
  .strictObject({
    ...Organization.shape,
    storage: StorageUse,
    mails: z
      .strictObject({
        waiting: Count.meta({ description: 'Mails that the service sends later, without another request.' }),
        paused: MailPause.nullable().meta({
          description:
            'Why mails to people who are not members wait; null while they are sent. Only the operator of the service ends it.',
        }),
        max_per_day: z
          .strictObject({
            to_members: Count,
            to_others: Count.meta({ description: 'How many mails to other addresses may be sent in a day.' }),
            report_recipients: Count.meta({
              description:
                'How many recipients of reports there may be in a day. A mail to 50 people counts 50 times.',
            }),
          })
          .meta({
            description:
              'How many mails may be sent in one UTC day. Only the operator of the service can change this.',
          }),
      })
      .meta({ description: 'The mails that the organization may send.' }),
  })
  .meta({ id: 'OrganizationWithStorage' });
export type OrganizationWithStorage = z.output<typeof OrganizationWithStorage>;
