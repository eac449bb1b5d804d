import * as z from 'zod';
import { isBlank } from '../../base/text.ts';
import { Count } from '../common.ts';
import { CorrectiveActionStatus } from '../corrective-action.ts';
import { FindingOrigin, FindingStatus } from '../finding.ts';
import { InspectionStatus, Participant, Score } from '../inspections/inspection.ts';
import { SectionScore } from '../inspections/score.ts';
import { Priority, Severity } from '../templates/content.ts';

const Timestamp = z.iso.datetime();

export const HexColor = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/)
  .meta({ id: 'HexColor', description: 'A colour as #rrggbb.' });

const ReportBlockKind = z
  .enum(['summary', 'score', 'findings', 'corrective_actions', 'sections', 'media', 'signatures', 'text'])
  .meta({ id: 'ReportBlockKind', description: 'The kind of content that a block of a report shows.' });

export const ReportBlock = z
  .strictObject({
    kind: ReportBlockKind,
    options: z
      .strictObject({
        title: z
          .string()
          .max(200)
          .optional()
          .meta({ description: "The block's heading; the usual one when left out." }),
        text: z
          .string()
          .max(10_000)
          .optional()
          .meta({ description: 'The text of a `text` block, which requires it.' }),
        photo_columns: z
          .int()
          .min(2)
          .max(4)
          .optional()
          .meta({ description: 'The number of photos side by side.' }),
      })
      .prefault({})
      .meta({ id: 'ReportBlockOptions', description: 'How a block is drawn. Every option has a default.' }),
  })
  .check(({ value: { kind, options }, issues }) => {
    if (kind === 'text' && isBlank(options.text ?? '')) {
      issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: ['options', 'text'] });
    }
  })
  .meta({
    id: 'ReportBlock',
    description: 'A part of a report. Blocks appear in the order of the list.',
  });
export type ReportBlock = z.infer<typeof ReportBlock>;

export const ReportTheme = z
  .strictObject({
    primary_color: HexColor,
    logo: z.string().nullable().meta({
      description: "A document id or a storage key; null for the organization's logo.",
    }),
  })
  .meta({ id: 'ReportTheme', description: "A report's colour and logo." });

export const ReportInclude = z
  .strictObject({ unanswered: z.boolean(), na: z.boolean(), notes: z.boolean(), media: z.boolean() })
  .meta({ id: 'ReportInclude', description: 'Which answers, and which parts of an answer, are shown.' });
export type ReportInclude = z.infer<typeof ReportInclude>;

/** Blocks of one layout. */
const MAX_BLOCKS = 20;
/**
 * Characters of all texts of one layout. One transaction of 4 MB must hold all layouts of a family and the content of
 * a version.
 */
const MAX_LAYOUT_TEXT = 30_000;

const ReportBlocks = z
  .array(ReportBlock)
  .max(MAX_BLOCKS)
  .check(({ value: blocks, issues }) => {
    const length = blocks.reduce((sum, { options }) => sum + (options.text?.length ?? 0), 0);
    if (length > MAX_LAYOUT_TEXT) {
      const message = `Value error, all texts together have ${length} characters, the maximum is ${MAX_LAYOUT_TEXT}`;
      issues.push({ code: 'custom', message, input: length, path: [] });
    }
  });

export const ReportLayoutContent = z
  .strictObject({
    page_size: z.enum(['A4', 'Letter']),
    orientation: z.enum(['portrait', 'landscape']),
    cover: z.boolean().meta({ description: 'Whether the report begins with a cover page.' }),
    theme: ReportTheme,
    blocks: ReportBlocks,
    include: ReportInclude,
  })
  .meta({ id: 'ReportLayoutContent', description: 'How a report looks and what it contains.' });
export type ReportLayoutContent = z.infer<typeof ReportLayoutContent>;

/** The standard layout, for template families without a layout of their own. It shows everything. */
export const DEFAULT_LAYOUT: ReportLayoutContent = {
  page_size: 'A4',
  orientation: 'portrait',
  cover: true,
  theme: { primary_color: '#1f4e79', logo: null },
  blocks: [
    { kind: 'summary', options: {} },
    { kind: 'score', options: {} },
    { kind: 'findings', options: {} },
    { kind: 'corrective_actions', options: {} },
    { kind: 'sections', options: {} },
    { kind: 'signatures', options: {} },
  ],
  include: { unanswered: true, na: true, notes: true, media: true },
};

export const ReportOrganization = z
  .strictObject({
    name: z.string(),
    locale: z.string().meta({ description: 'A BCP 47 language tag; English is used for an unknown one.' }),
    timezone: z.string().meta({ description: 'An IANA time zone; UTC is used for an unknown one.' }),
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
export type ReportOrganization = z.infer<typeof ReportOrganization>;

const ReportIdentity = z
  .strictObject({
    id: z.uuid().nullable().meta({ description: 'Null in a preview.' }),
    title: z.string(),
    version: z.int().min(1),
    generated_at: Timestamp,
  })
  .meta({ id: 'ReportIdentity', description: 'Identifies the report.' });

export const ReportMedia = z
  .strictObject({
    document_id: z.uuid(),
    caption: z.string(),
    file_name: z.string(),
    mime_type: z.string(),
    width: z.int().min(1).optional(),
    height: z.int().min(1).optional(),
  })
  .meta({
    id: 'ReportMedia',
    description: 'A photo or another file. The renderer loads photos by `document_id`.',
  });
export type ReportMedia = z.infer<typeof ReportMedia>;

const ReportClient = z
  .strictObject({ id: z.uuid(), name: z.string() })
  .meta({ id: 'ReportClient', description: 'The client account that was inspected.' });

const ReportLocation = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    address: z
      .string()
      .meta({ description: 'A postal address with lines separated by \\n; empty when unknown.' }),
  })
  .meta({ id: 'ReportLocation', description: 'Where the inspection took place.' });

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

export const ReportInspection = z
  .strictObject({
    id: z.uuid(),
    number: z.int().min(1),
    name: z.string(),
    status: InspectionStatus,
    client: ReportClient.nullable(),
    location: ReportLocation.nullable(),
    template: ReportTemplate,
    participants: z.array(ReportParticipant),
    scheduled_for: Timestamp.nullable(),
    due_at: Timestamp.nullable(),
    started_at: Timestamp.nullable(),
    submitted_at: Timestamp.nullable(),
    approved_at: Timestamp.nullable(),
    signed_off_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
  })
  .meta({ id: 'ReportInspection', description: 'What was inspected, by whom and when.' });
export type ReportInspection = z.infer<typeof ReportInspection>;

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

const ReportSectionScore = SectionScore.omit({ weight: true, share: true, share_max: true })
  .extend({ depth: z.int().min(1).meta({ description: '1 for an outermost section.' }) })
  .meta({ id: 'ReportSectionScore', description: 'The score of a section, over all its instances.' });
export type ReportSectionScore = z.infer<typeof ReportSectionScore>;

const ReportSummary = z
  .strictObject({
    progress: ReportProgress,
    counts: ReportCounts,
    findings: ReportSeverities,
    score: Score.nullable().meta({ description: 'Null when the template has no scoring.' }),
    section_scores: z.array(ReportSectionScore).meta({ description: 'Only sections that are scored.' }),
  })
  .meta({ id: 'ReportSummary', description: 'The inspection in figures.' });

export const ReportFinding = z
  .strictObject({
    id: z.uuid(),
    number: z.int().min(1),
    label: z.string(),
    severity: Severity,
    status: FindingStatus,
    origin: FindingOrigin,
    section_title: z.string().nullable(),
    field_label: z.string().nullable(),
    description: z.string(),
    recommendation: z.string(),
    root_cause: z.string(),
    media: z.array(ReportMedia),
  })
  .meta({ id: 'ReportFinding', description: 'A finding as the report shows it.' });
export type ReportFinding = z.infer<typeof ReportFinding>;

export const ReportCorrectiveAction = z
  .strictObject({
    id: z.uuid(),
    number: z.int().min(1),
    finding_number: z.int().min(1),
    title: z.string(),
    description: z.string(),
    priority: Priority,
    status: CorrectiveActionStatus,
    is_overdue: z.boolean(),
    assignee_name: z.string().nullable(),
    due_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
    completion_note: z.string(),
    verified_at: Timestamp.nullable(),
  })
  .meta({ id: 'ReportCorrectiveAction', description: 'A corrective action as the report shows it.' });
export type ReportCorrectiveAction = z.infer<typeof ReportCorrectiveAction>;

const ReportAnswer = z
  .strictObject({
    text: z
      .string()
      .nullable()
      .meta({ description: 'The answer as readable text; null or empty when unanswered.' }),
    value: z.unknown().meta({ description: 'The value as it was saved.' }),
  })
  .meta({ id: 'ReportAnswer', description: 'An answer, as readable text and as data.' });

export const ReportField = z
  .strictObject({
    id: z.string().meta({ description: 'A UUID; in the Start section, the key of the field.' }),
    type: z.string().meta({ description: "The field's type in the template. An instruction has no answer." }),
    label: z.string(),
    help: z.string().optional(),
    answer: ReportAnswer,
    is_failed: z.boolean(),
    is_na: z.boolean(),
    note: z.string(),
    media: z.array(ReportMedia),
    answered_at: Timestamp.nullable(),
    answered_by_name: z.string().nullable(),
  })
  .meta({ id: 'ReportField', description: 'A question with its answer.' });
export type ReportField = z.infer<typeof ReportField>;

export const ReportSection = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    instance: z
      .string()
      .nullable()
      .meta({ description: 'Which instance of a repeat section this is; null for other sections.' }),
    fields: z.array(ReportField),
    get sections() {
      return z.array(ReportSection);
    },
  })
  .meta({
    id: 'ReportSection',
    description: 'A section. Each instance of a repeat section is a section of its own.',
  });
export type ReportSection = z.infer<typeof ReportSection>;

export const ReportSignature = z
  .strictObject({
    label: z.string(),
    signed_name: z.string(),
    signed_at: Timestamp.nullable(),
    document_id: z
      .uuid()
      .nullable()
      .meta({ description: 'The image of a drawn signature; null for a typed one.' }),
    typed: z
      .string()
      .nullable()
      .meta({ description: 'The text of a typed signature; null for a drawn one.' }),
  })
  .meta({ id: 'ReportSignature', description: 'A drawn or typed signature.' });
export type ReportSignature = z.infer<typeof ReportSignature>;

/**
 * Everything that a report shows: the reply of GET /inspections/{inspection_id}/report-payload, and the exact JSON that
 * the renderer draws. It names images by document id or storage key and contains no URL and no credential.
 */
export const ReportPayload = z
  .strictObject({
    organization: ReportOrganization,
    report: ReportIdentity,
    layout: ReportLayoutContent,
    inspection: ReportInspection,
    summary: ReportSummary,
    findings: z.array(ReportFinding),
    corrective_actions: z.array(ReportCorrectiveAction),
    sections: z.array(ReportSection),
    signatures: z.array(ReportSignature),
  })
  .meta({
    id: 'ReportPayload',
    description: 'Everything that a report shows: the exact JSON that the renderer draws.',
  });
export type ReportPayload = z.infer<typeof ReportPayload>;
