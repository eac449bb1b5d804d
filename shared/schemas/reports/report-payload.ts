import * as z from 'zod';
import { pick } from '../../base/fields.ts';
import { LanguageTag, Timestamp } from '../common.ts';
import { fieldsFor } from '../inspections/fields.ts';
import { Inspection, Participant } from '../inspections/inspection.ts';
import { questionPlace, ReportAddress, ReportField, ReportPosition, ReportSection } from './report-answer.ts';
import { ReportActing, ReportCorrection } from './report-correction.ts';
import { ReportFinding } from './report-finding.ts';
import { ReportLayoutContent } from './report-layout-content.ts';
import { ReportSummary } from './report-summary.ts';

export const ReportOrganization = z
  .strictObject({
    name: z.string(),
    locale: z.string().meta({ description: 'A BCP 47 language tag; English is used for an unknown one.' }),
    timezone: z.string().meta({ description: 'An IANA time zone; UTC is used for an unknown one.' }),
    region: z
      .string()
      .nullable()
      .meta({ description: 'The country, by ISO 3166-1 alpha-2. Addresses without a country are in it.' }),
    date_format: z.string().nullable().meta({
      description:
        "A pattern of YYYY, YY, MMMM, MMM, MM, M, DD and D with any separators; null for the locale's own format.",
    }),
    time_format: z.enum(['12h', '24h']).nullable().meta({ description: "Null for the locale's own format." }),
    logo: z.string().nullable().meta({ description: 'A storage key; null without a logo.' }),
  })
  .meta({
    id: 'ReportOrganization',
    description: 'The organization that issues the report, and its formats.',
  });
export type ReportOrganization = z.output<typeof ReportOrganization>;

const ReportIdentity = z
  .strictObject({
    id: z.uuid().nullable().meta({ description: 'Null in a preview.' }),
    title: z.string(),
    version: z.int().min(1),
    generated_at: Timestamp,
    language: LanguageTag,
    is_draft: z.boolean().meta({
      description: 'Whether the inspection is not completed. The report then gives no verdict.',
    }),
  })
  .meta({ id: 'ReportIdentity', description: 'Identifies the report.' });

const ReportClient = z
  .strictObject({
    id: z.uuid(),
    name: z.string().nullable().meta({ description: 'Null when it was deleted.' }),
  })
  .meta({ id: 'ReportClient', description: 'The client account that was inspected.' });

const ReportLocation = z
  .strictObject({
    ...ReportClient.shape,
    address: ReportAddress.nullable().meta({ description: 'Null when unknown.' }),
    position: ReportPosition.nullable().meta({ description: 'Null when unknown.' }),
  })
  .meta({ id: 'ReportLocation', description: 'Where the inspection took place.' });
export type ReportLocation = z.output<typeof ReportLocation>;

const ReportTemplate = z
  .strictObject({ id: z.uuid(), name: z.string(), version_number: z.int().min(1) })
  .meta({ id: 'ReportTemplate', description: 'The template version of the inspection.' });

const ReportParticipant = Participant.pick({
  user_id: true,
  name: true,
  role: true,
  status: true,
  submitted_at: true,
}).meta({ id: 'ReportParticipant', description: 'Someone who took part in the inspection.' });

/** Those of the reported fields that reports have as the inspection has them. */
const {
  id: _id,
  number: _number,
  name: _name,
  status,
  participants: _participants,
  ...asTheyAre
} = pick(Inspection.shape, fieldsFor('report'));

export const ReportInspection = z
  .strictObject({
    id: z.uuid(),
    number: z.int().min(1),
    name: z.string(),
    status,
    client: ReportClient.nullable(),
    location: ReportLocation.nullable(),
    template: ReportTemplate,
    participants: z.array(ReportParticipant),
    ...asTheyAre,
  })
  .meta({ id: 'ReportInspection', description: 'What was inspected, by whom and when.' });
export type ReportInspection = z.output<typeof ReportInspection>;

const ReportEarlier = ReportInspection.pick({ id: true, number: true, name: true, completed_at: true }).meta({
  id: 'ReportEarlier',
  description: 'The inspection that this one was started from, or that it inspects again.',
});
export type ReportEarlier = z.output<typeof ReportEarlier>;

export const ReportSignature = z
  .strictObject({
    source: z.enum(['field', 'sign_off']).meta({
      description: 'An answer, or the sign-off of the whole inspection.',
    }),
    ...questionPlace,
    signed_name: z.string(),
    signed_at: Timestamp.nullable(),
    document_id: z
      .uuid()
      .nullable()
      .meta({ description: 'The image of a drawn signature; null for a typed one.' }),
    typed: z
      .string()
      .nullable()
      .meta({ description: 'The text of a typed signature; null for a drawn or refused one.' }),
    company: z.string().nullable().meta({ description: 'The other party that the person signed for.' }),
    declined: z.boolean().meta({ description: 'Whether the person refused to sign.' }),
    reason: z.string().meta({ description: 'Why they refused to sign; empty for a signature.' }),
    signed_for: ReportActing.optional().meta({
      description: 'Only where an API key has signed off for a member.',
    }),
    before_correction: z.int().min(1).nullable().meta({
      description: 'The first correction that came after the signature, by its position; null when none did.',
    }),
  })
  .meta({ id: 'ReportSignature', description: 'A drawn or typed signature.' });
export type ReportSignature = z.output<typeof ReportSignature>;

/**
 * Everything that a report shows: the reply of GET /inspections/{inspection_id}/report-payload, and the exact JSON that
 * every renderer draws. It names images by document id or storage key and contains no URL and no credential.
 */
export const ReportPayload = z
  .strictObject({
    organization: ReportOrganization,
    report: ReportIdentity,
    layout: ReportLayoutContent,
    inspection: ReportInspection,
    compared_with: ReportEarlier.optional().meta({
      description:
        'Only when the layout has a `sections` block with the option `before`, and the inspection was started from an earlier one or is a re-inspection.',
    }),
    summary: ReportSummary,
    start: z.array(ReportField).meta({ description: 'The start fields: details of the inspection.' }),
    sections: z.array(ReportSection),
    findings: z.array(ReportFinding),
    signatures: z.array(ReportSignature),
    corrections: z.array(ReportCorrection),
  })
  .meta({
    id: 'ReportPayload',
    description: 'Everything that a report shows: the exact JSON that every renderer draws.',
  });
export type ReportPayload = z.output<typeof ReportPayload>;
