import * as z from 'zod';
import {
  ExpectedVersion,
  Instant,
  listQuery,
  RequiredText,
  resourceFields,
  resourceVersion,
  Text,
  Timestamp,
  Uuid,
} from '../common.ts';

export const CertificateStatus = z.enum(['valid', 'expired', 'suspended', 'revoked']);
export type CertificateStatus = z.output<typeof CertificateStatus>;

const CertificateNames = z
  .strictObject({
    organization: z.string().meta({ description: 'Who has issued it.' }),
    asset: z
      .strictObject({
        number: z.int(),
        name: z.string(),
        kind: z.string().nullable().meta({ description: 'The name of its kind; null without one.' }),
        serial: z
          .string()
          .nullable()
          .meta({ description: 'The serial number that the manufacturer gave it.' }),
        manufacturer: z.string().nullable().meta({ description: 'Who made it.' }),
      })
      .nullable()
      .meta({ description: 'The asset; null for a certificate of a location.' }),
    location: z
      .strictObject({
        name: z.string(),
        path: z
          .array(z.string())
          .meta({ description: 'The names of the locations above it, the farthest first.' }),
        address: z.string().nullable(),
      })
      .nullable()
      .meta({ description: 'Where the inspection was; null for nowhere.' }),
    client: z
      .strictObject({ name: z.string() })
      .nullable()
      .meta({ description: 'For whom the inspection was; null for nobody.' }),
  })
  .meta({
    id: 'CertificateNames',
    description: 'What a certificate names, as it was named when it was issued.',
  });
export type CertificateNames = z.output<typeof CertificateNames>;

export const Certificate = z
  .strictObject({
    ...resourceFields,
    number: z.string().meta({
      description:
        'The series of its kind, its number in it, and 12 characters that nobody can guess, so that a number does not lead to others. `GET /verify/{number}` tells anyone who has it whether the certificate is valid.',
      examples: ['LIFT-00012-7K3M-Q9XW-HB2T'],
    }),
    kind_id: Uuid.meta({ description: 'The certificate kind.' }),
    title: z.string().meta({ description: 'The name of its kind when it was issued.' }),
    status: CertificateStatus.meta({
      description:
        '`suspended` until it is reinstated, `revoked` for good, and else `expired` after `expires_at`.',
    }),
    status_reason: Text.meta({ description: 'Why it is suspended or revoked; else empty.' }),
    status_changed_at: Timestamp.nullable().meta({
      description: 'When it was suspended, reinstated or revoked the last time; null for never.',
    }),
    status_changed_by: Uuid.nullable().meta({ description: 'Who did that, by `user_id`; null for never.' }),
    suspended_by: z.enum(['request', 'correction', 'archiving']).nullable().meta({
      description:
        '`correction`, `archiving`: its inspection no longer counts as passed. The certificate is valid again as soon as the inspection does. `request`: somebody has suspended it. Null while it is not suspended.',
    }),
    correction_id: Uuid.nullable().meta({ description: 'The correction that has suspended it.' }),
    inspection_id: Uuid.meta({ description: 'The inspection that has issued it.' }),
    inspection_number: z.int().meta({ description: 'The number of that inspection.' }),
    template_family_id: Uuid,
    asset_id: Uuid.nullable().meta({
      description: 'The asset that it is about; null for that of a location.',
    }),
    location_id: Uuid.nullable().meta({ description: 'The location of the inspection.' }),
    client_account_id: Uuid.nullable().meta({ description: 'The client account of the inspection.' }),
    names_then: CertificateNames,
    inspected_at: Timestamp.meta({
      description: 'When the inspection was handed in. The validity counts from it.',
    }),
    issued_at: Timestamp.meta({
      description: 'When it was issued, or a correction let its inspection pass.',
    }),
    expires_at: Timestamp.meta({ description: 'The end of its last day, on the clocks of the location.' }),
    timezone: z.string().meta({ description: 'The time zone of its days.' }),
    shared_at: Timestamp.nullable().meta({
      description: 'Since when there is a link by which anyone reads it; null for no such link.',
    }),
    version: resourceVersion(),
  })
  .meta({
    id: 'Certificate',
    description:
      'A proof that an asset or a location has passed an inspection. Its content does not change after it was issued.',
  });
export type Certificate = z.output<typeof Certificate>;

export const SharedCertificate = Certificate.extend({
  url: z.string().meta({
    description: 'The page of the certificate, for anyone who has this address. It is shown only once.',
  }),
}).meta({ id: 'SharedCertificate', description: 'A certificate, and the link by which anyone reads it.' });
export type SharedCertificate = z.output<typeof SharedCertificate>;

export const CertificateStatusChange = z
  .strictObject({
    reason: RequiredText.meta({
      description: 'Why; `status_reason` shows it, and public pages do not.',
      examples: ['The brake failed after the inspection.'],
    }),
    expected_version: ExpectedVersion.optional(),
  })
  .meta({ id: 'CertificateStatusChange' });

export const certificateQuery = listQuery({
  kind_id: Uuid.optional().meta({ description: 'Only certificates of this kind.' }),
  asset_id: Uuid.optional().meta({ description: 'Only those of this asset.' }),
  location_id: Uuid.optional().meta({ description: 'Only those of inspections directly at this location.' }),
  client_account_id: Uuid.optional().meta({ description: 'Only those of this client account.' }),
  inspection_id: Uuid.optional().meta({ description: 'Only those that this inspection has issued.' }),
  status: z
    .array(CertificateStatus)
    .max(CertificateStatus.options.length)
    .optional()
    .meta({ description: 'Any of these statuses; the parameter can be repeated.' }),
  expires_before: Instant.optional().meta({
    description:
      'Only those that expire before, whether they have already or not. The first to expire comes first; revoked ones are left out.',
  }),
});
export type CertificateQuery = z.output<typeof certificateQuery>;
