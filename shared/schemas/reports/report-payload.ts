import * as z from 'zod';
import { pick } from '../../base/fields.ts';
import { Timestamp, Count, Priority, Severity, LanguageTag } from '../common.ts';
import { CorrectiveActionStatus } from '../corrective-action.ts';
import { FindingOrigin, FindingRepeat, FindingStatus } from '../finding.ts';
import { CorrectionStatus, Revision } from '../inspections/correction.ts';
import { fieldsFor } from '../inspections/fields.ts';
import { Score, ScoreResult, Inspection, Participant } from '../inspections/inspection.ts';
import { SectionScore } from '../inspections/score.ts';
import {
  questionPlace,
  ReportAnswer,
  ReportMedia,
  ReportAddress,
  ReportField,
  ReportPosition,
  ReportSection,
} from './report-answer.ts';
import { ReportLayoutContent } from './report-layout-content.ts';

/** For whom an API key acted; absent from the report where somebody acted directly. */
export const ReportActing = z
  .strictObject({
    name: z.string().nullable().meta({ description: 'The member. Null when the member was removed.' }),
    key_name: z.string().nullable(),
  })
  .meta({ id: 'ReportActing', description: 'The member for whom an API key acted, and the key.' });
export type ReportActing = z.output<typeof ReportActing>;

const ReportAnswerState = z
  .strictObject({ answer: ReportAnswer.nullable(), is_na: z.boolean(), note: z.string() })
  .meta({ id: 'ReportAnswerState', description: 'An answer before or after a change.' });
export type ReportAnswerState = z.output<typeof ReportAnswerState>;

export const ReportChange = z
  .strictObject({
    source: Revision.shape.answer_source,
    ...questionPlace,
    field_id: questionPlace.field_id.meta({
      description: 'The key of a start field; for `setup`, the name of the inspection’s field, or `finding`.',
    }),
    before: ReportAnswerState,
    after: ReportAnswerState,
    changed_by_name: z.string().nullable(),
    changed_at: Timestamp,
  })
  .meta({ id: 'ReportChange', description: 'A change of one answer. Each saved change is one.' });
export type ReportChange = z.output<typeof ReportChange>;

export const ReportCorrection = z
  .strictObject({
    position: z.int().min(1).meta({ description: 'The number in the report, from 1 in the order of time.' }),
    reason: z.string(),
    status: CorrectionStatus,
    opened_by_name: z.string().nullable(),
    opened_at: Timestamp,
    closed_by_name: z.string().nullable(),
    closed_at: Timestamp.nullable().meta({ description: 'When it was closed; null while it is open.' }),
    approved_by_name: z.string().nullable(),
    approved_at: Timestamp.nullable().meta({
      description: 'When it was approved; null where no approval was needed or given.',
    }),
    approved_for: ReportActing.optional().meta({
      description: 'Only where an API key has approved it for a member.',
    }),
    changes: z.array(ReportChange),
  })
  .meta({
    id: 'ReportCorrection',
    description:
      'What was changed after completion, by whom, when and why. Only the changes of a `closed` one are in force: the rest of the report does not have those of one that is `open` or `pending_approval`. Rejected and discarded ones are left out.',
  });
export type ReportCorrection = z.output<typeof ReportCorrection>;

const ReportProgress = z.strictObject({ answered: Count, required: Count, total: Count }).meta({
  id: 'ReportProgress',
  description: 'How many fields are answered, how many are required, and how many there are.',
});

const ReportCounts = z
  .strictObject({ answered: Count, failed: Count, na: Count })
  .meta({ id: 'ReportCounts', description: 'The number of answers by outcome.' });

const ReportSeverities = z
  .strictObject({ observation: Count, minor: Count, major: Count, critical: Count })
  .meta({ id: 'ReportSeverities', description: 'The number of findings by severity.' });

const ReportActionCounts = z
  .strictObject({
    open: Count,
    in_progress: Count,
    pending_verification: Count,
    verified: Count,
    cancelled: Count,
    overdue: Count.meta({ description: 'Those among `open` and `in_progress` whose due date has passed.' }),
  })
  .meta({ id: 'ReportActionCounts', description: 'The number of corrective actions by status.' });

export const ReportSectionScore = SectionScore.omit({ weight: true, share: true, share_max: true })
  .extend({
    depth: z.int().min(1).meta({ description: 'How deep the section is nested: 1 for an outermost one.' }),
  })
  .meta({ id: 'ReportSectionScore', description: 'The score of a section, over all its instances.' });
export type ReportSectionScore = z.output<typeof ReportSectionScore>;

const below = { percentage: z.number(), passing_score: z.number() };

export const ReportReason = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('critical_item'), ...questionPlace }),
    z.strictObject({
      kind: z.literal('section'),
      section_id: z.string(),
      section_title: z.string(),
      ...below,
    }),
    z.strictObject({ kind: z.literal('total'), ...below }),
  ])
  .meta({
    id: 'ReportReason',
    description:
      'Why the inspection failed: a critical item that failed, or a section or the total below its passing score.',
  });
export type ReportReason = z.output<typeof ReportReason>;

const ReportVerdict = z
  .strictObject({
    result: ScoreResult,
    passing_score: z
      .number()
      .nullable()
      .meta({ description: 'The passing score of the total; null without one.' }),
    reasons: z.array(ReportReason).meta({ description: 'Empty when the inspection passed.' }),
  })
  .meta({ id: 'ReportVerdict', description: 'The result of a completed inspection, and why.' });
export type ReportVerdict = z.output<typeof ReportVerdict>;

export const ReportPreviousScore = z
  .strictObject({
    inspection_id: z.uuid(),
    number: z.int().min(1),
    completed_at: Timestamp,
    percentage: z.number(),
    result: ScoreResult.nullable(),
  })
  .meta({
    id: 'ReportPreviousScore',
    description:
      'The score of the last completed inspection of the same template family at the same location.',
  });
export type ReportPreviousScore = z.output<typeof ReportPreviousScore>;

export const ReportSummary = z
  .strictObject({
    progress: ReportProgress,
    counts: ReportCounts,
    findings: ReportSeverities,
    corrective_actions: ReportActionCounts,
    score: Score.omit({ result: true }).nullable().meta({
      id: 'ReportScore',
      description:
        'Null when the template has no scoring. `percentage` is null when nothing could be scored.',
    }),
    section_scores: z.array(ReportSectionScore).meta({
      description: 'Only sections that are scored. In a draft none has a `result`.',
    }),
    verdict: ReportVerdict.nullable().meta({
      description: 'The verdict; null in a draft, and without scoring.',
    }),
    previous_score: ReportPreviousScore.nullable().meta({ description: 'Null when there is none.' }),
  })
  .meta({ id: 'ReportSummary', description: 'The inspection in figures.' });
export type ReportSummary = z.output<typeof ReportSummary>;

export const ReportCorrectiveAction = z
  .strictObject({
    id: z.uuid(),
    number: z.int().min(1).meta({ description: 'The number in the organization.' }),
    title: z.string(),
    description: z.string(),
    priority: Priority,
    status: CorrectiveActionStatus,
    is_overdue: z.boolean(),
    assignee_name: z.string().nullable().meta({
      description: 'The assignee; without one, the contact outside the organization.',
    }),
    due_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
    completed_by_name: z.string().nullable(),
    completion_note: z.string(),
    verified_at: Timestamp.nullable(),
    verified_by_name: z.string().nullable(),
    verified_for: ReportActing.optional().meta({
      description: 'Only where an API key has verified it for a member.',
    }),
    verification_note: z.string(),
    before: z.array(ReportMedia).meta({ description: 'What shows the fault.' }),
    after: z.array(ReportMedia).meta({ description: 'What shows that it was put right.' }),
  })
  .meta({ id: 'ReportCorrectiveAction', description: 'A corrective action as the report shows it.' });
export type ReportCorrectiveAction = z.output<typeof ReportCorrectiveAction>;

export const ReportFinding = z
  .strictObject({
    id: z.uuid(),
    position: z.int().min(1).meta({
      description: 'The number in the report: findings are numbered from 1 in the order of the questions.',
    }),
    number: z.int().min(1).meta({ description: 'The number in the organization, for reference.' }),
    label: z.string(),
    severity: Severity,
    status: FindingStatus,
    origin: FindingOrigin,
    trigger_cleared: z.boolean().meta({
      description: 'Whether the answer that led to it no longer fails, or conditions hide its question.',
    }),
    repeat: FindingRepeat.optional().meta({ description: 'Absent for one that repeats none.' }),
    repeat_factor: z.number().optional().meta({
      description:
        'How often its failed question counts in the score, because it repeats an earlier finding; absent for once.',
    }),
    ...questionPlace,
    description: z.string(),
    recommendation: z.string(),
    root_cause: z.string(),
    media: z.array(ReportMedia),
    corrective_actions: z.array(ReportCorrectiveAction),
  })
  .meta({ id: 'ReportFinding', description: 'A finding with its corrective actions.' });
export type ReportFinding = z.output<typeof ReportFinding>;

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
    logo: z.string().nullable().meta({ description: 'The storage key of the logo; null without one.' }),
  })
  .meta({
    id: 'ReportOrganization',
    description: 'The organization that issues the report, and its formats.',
  });
export type ReportOrganization = z.output<typeof ReportOrganization>;

const ReportIdentity = z
  .strictObject({
    id: z.uuid().nullable().meta({ description: 'The id of the report; null in a preview.' }),
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
    name: z.string().nullable().meta({
      description: 'As it was when the inspection was completed; null when it was deleted before.',
    }),
    external_ref: z.string().nullable().optional(),
    current_name: z.string().nullable().optional().meta({
      description: 'As it is at the time of the report; null when it was deleted.',
    }),
  })
  .meta({ id: 'ReportClient', description: 'The client account that was inspected.' });

const ReportLocation = z
  .strictObject({
    ...ReportClient.shape,
    path: z
      .array(z.string())
      .optional()
      .meta({ description: 'The names of the locations above it, the farthest first.' }),
    timezone: z.string().nullable().optional().meta({ description: 'Null when unknown.' }),
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

/** The fields of reports that have the same schema as in the inspection. */
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
