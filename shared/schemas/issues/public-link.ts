import * as z from 'zod';
import { Count, Instant, listQuery, Timestamp, Uuid, VisibleText } from '../common.ts';
import { SubmissionsPerHour } from '../organization.ts';
import { derived, initially, later, once, optional, resource, shownAs, unseen } from '../resource.ts';

/** Reports that one link can be limited to. */
const MAX_SUBMISSIONS = 1_000_000;

export const ContactRule = z.enum(['none', 'optional', 'required']);
export type ContactRule = z.output<typeof ContactRule>;

export const PublicLinkStatus = z.enum(['active', 'paused', 'expired', 'exhausted', 'revoked']);
export type PublicLinkStatus = z.output<typeof PublicLinkStatus>;

const ONCE = 'Only the reply that creates the link has it; it cannot be shown again.';

export const { PublicLink, NewPublicLink, PublicLinkChanges } = resource(
  'PublicLink',
  {
    label: initially(
      '',
      VisibleText.max(200).meta({ description: 'What the organization calls the link, such as a place.' }),
    ),
    contact: initially(
      'optional',
      ContactRule.meta({
        description:
          'Whether the page asks for the name, the email address and the phone number of whoever reports. `required` means an email address or a phone number.',
      }),
    ),
    max_submissions: optional(
      z.int().min(1).max(MAX_SUBMISSIONS).nullable().meta({
        description: 'How many issues can be reported by the link; null for any number.',
      }),
    ),
    max_submissions_per_hour: optional(
      SubmissionsPerHour.nullable().meta({
        description:
          'How many issues can be reported by the link in an hour; null for what the organization sets. One network address gets a fifth of them, and beyond it one in five minutes.',
      }),
    ),
    ...derived({
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
        .meta({ description: `The page’s address as a QR code to print, a PNG. ${ONCE}` }),
      qr_svg_url: z
        .url()
        .nullable()
        .meta({ description: `The same as an SVG. ${ONCE}` }),
    }),
    location_id: shownAs(
      Uuid.nullable().meta({ description: 'The location of every issue that the link brings.' }),
      once(optional(Uuid.nullable())),
    ),
    asset_id: shownAs(
      Uuid.nullable().meta({ description: 'The asset that every issue of the link is about.' }),
      once(
        optional(
          Uuid.nullable(),
          'With it, the link is the label of an asset: without a `label` it is called by the name and number of the asset. Each issue gets the location that the asset has at that time, unless the link has a `location_id`.',
        ),
      ),
    ),
    client_account_id: shownAs(
      Uuid.nullable().meta({ description: 'The client account of every issue that the link brings.' }),
      once(optional(Uuid.nullable(), 'When left out, the client account of the location, if it has one.')),
    ),
    is_paused: unseen(later(z.boolean(), 'true pauses the link, false lets it work again.')),
    expires_at: shownAs(
      Timestamp.nullable(),
      optional(
        Instant.nullable(),
        'Until when the link works; null for no end. A link without an end fits a label that is printed: it works until it is paused or revoked.',
      ),
    ),
    ...derived({
      submissions_count: Count,
      status: PublicLinkStatus.meta({
        description:
          'Only an `active` link works. `expired` follows from `expires_at` and `exhausted` from `max_submissions`; both end when these change. `revoked` is for good.',
      }),
      paused_at: Timestamp.nullable(),
      revoked_at: Timestamp.nullable(),
      created_by: Uuid,
    }),
  },
  {
    description: 'A link, also as a QR code, by which anyone who has it reports issues of one category.',
    version: 'Increases with every change of the link, but not with what is reported by it.',
  },
);
export type PublicLink = z.output<typeof PublicLink>;
export type NewPublicLink = z.output<typeof NewPublicLink>;
export type PublicLinkChanges = Omit<z.output<typeof PublicLinkChanges>, 'expected_version'>;

export const publicLinkQuery = listQuery({
  status: z
    .array(PublicLinkStatus)
    .max(PublicLinkStatus.options.length)
    .optional()
    .meta({ description: 'Any of these statuses; the parameter can be repeated.' }),
});
export type PublicLinkQuery = z.output<typeof publicLinkQuery>;
