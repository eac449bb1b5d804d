import * as z from 'zod';
import {
  Count,
  ExpectedVersion,
  Instant,
  listQuery,
  resourceFields,
  resourceVersion,
  Timestamp,
  Uuid,
  VisibleText,
} from '../common.ts';

/** Days for which a public link works unless its creator says otherwise. */
export const DEFAULT_LINK_DAYS = 90;

/** Reports that one link can be limited to. */
const MAX_SUBMISSIONS = 1_000_000;

export const ContactRule = z.enum(['none', 'optional', 'required']);
export type ContactRule = z.output<typeof ContactRule>;

export const PublicLinkStatus = z.enum(['active', 'paused', 'expired', 'exhausted', 'revoked']);
export type PublicLinkStatus = z.output<typeof PublicLinkStatus>;

const Expiry = Instant.nullable();

const fields = {
  label: VisibleText.max(200).meta({ description: 'What the organization calls the link, such as a place.' }),
  contact: ContactRule.meta({
    description:
      'Whether the page asks for the name, the email address and the phone number of whoever reports. `required` means an email address or a phone number.',
  }),
  max_submissions: z
    .int()
    .min(1)
    .max(MAX_SUBMISSIONS)
    .nullable()
    .meta({ description: 'How many issues can be reported by the link; null for any number.' }),
};

const ONCE = 'Only the reply that creates the link has it; it cannot be shown again.';

export const PublicLink = z
  .strictObject({
    ...resourceFields,
    ...fields,
    category_id: Uuid,
    token: z.string().meta({
      description:
        'In the reply that creates the link the whole token, else its first 6 characters. Only its hash is stored.',
    }),
    url: z
      .url()
      .nullable()
      .meta({ description: `The page where issues are reported. ${ONCE}` }),
    qr_url: z
      .url()
      .nullable()
      .meta({
        description: `The page’s address as a QR code to print, a PNG. ${ONCE}`,
      }),
    qr_svg_url: z
      .url()
      .nullable()
      .meta({ description: `The same as an SVG. ${ONCE}` }),
    location_id: Uuid.nullable().meta({ description: 'The location of every issue that the link brings.' }),
    client_account_id: Uuid.nullable().meta({
      description: 'The client account of every issue that the link brings.',
    }),
    expires_at: Timestamp.nullable(),
    submissions_count: Count,
    status: PublicLinkStatus.meta({
      description:
        'Only an `active` link works. `expired` follows from `expires_at` and `exhausted` from `max_submissions`; both end when these change. `revoked` is for good.',
    }),
    paused_at: Timestamp.nullable(),
    revoked_at: Timestamp.nullable(),
    created_by: Uuid,
    version: resourceVersion('Increases with every change of the link, but not with what is reported by it.'),
  })
  .meta({
    id: 'PublicLink',
    description: 'A link, also as a QR code, by which anyone who has it reports issues of one category.',
  });
export type PublicLink = z.output<typeof PublicLink>;

export const NewPublicLink = z
  .strictObject({
    label: fields.label.default(''),
    contact: fields.contact.default('optional'),
    max_submissions: fields.max_submissions.default(null),
    location_id: Uuid.nullable().default(null),
    client_account_id: Uuid.nullable().default(null).meta({
      description: 'When left out, the client account of the location, if it has one.',
    }),
    expires_at: Expiry.optional().meta({
      description: `Until when the link works; null for no end. ${DEFAULT_LINK_DAYS} days when left out.`,
    }),
  })
  .meta({ id: 'NewPublicLink' });
export type NewPublicLink = z.output<typeof NewPublicLink>;

export const PublicLinkChanges = z
  .strictObject({
    ...fields,
    is_paused: z.boolean().meta({ description: 'true pauses the link, false lets it work again.' }),
    expires_at: Expiry,
    expected_version: ExpectedVersion,
  })
  .partial()
  .meta({ id: 'PublicLinkChanges' });
export type PublicLinkChanges = Omit<z.output<typeof PublicLinkChanges>, 'expected_version'>;

export const publicLinkQuery = listQuery({
  status: z
    .array(PublicLinkStatus)
    .max(PublicLinkStatus.options.length)
    .optional()
    .meta({ description: 'Any of these statuses; the parameter can be repeated.' }),
});
export type PublicLinkQuery = z.output<typeof publicLinkQuery>;
