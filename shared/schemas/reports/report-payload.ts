import * as z from 'zod';
import { InspectionStatus, Participant, Score } from '../inspections/inspection.ts';
import { SectionScore } from '../inspections/score.ts';
import { Severity } from '../templates/content.ts';

const Count = z.int().min(0);
const Timestamp = z.iso.datetime();

/** A colour as the renderer mixes tints from it. */
export const HexColor = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/)
  .meta({ id: 'HexColor', description: 'A colour as #rrggbb.' });

const ReportBlockKind = z
  .enum(['summary', 'score', 'findings', 'corrective_actions', 'sections', 'media', 'signatures', 'text'])
  .meta({ id: 'ReportBlockKind', description: 'What a block of a report shows.' });

export const ReportBlock = z
  .strictObject({
    kind: ReportBlockKind,
    options: z
      .strictObject({
        title: z
          .string()
          .max(200)
          .optional()
          .meta({ description: "The block's heading, in place of the usual one." }),
        text: z.string().max(10_000).optional().meta({ description: 'What a text block says.' }),
        photo_columns: z.int().min(2).max(4).optional().meta({ description: 'Photos beside each other.' }),
      })
      .prefault({})
      .meta({ id: 'ReportBlockOptions', description: 'How a block is drawn; each has a sensible default.' }),
  })
  .check(({ value: { kind, options }, issues }) => {
    if (kind === 'text' && !options.text?.trim()) {
      issues.push({ code: 'invalid_type', expected: 'string', input: undefined, path: ['options', 'text'] });
    }
  })
  .meta({
    id: 'ReportBlock',
    description: 'One part of a report; the order of blocks is the order of pages.',
  });
export type ReportBlock = z.infer<typeof ReportBlock>;

export const ReportTheme = z
  .strictObject({
    primary_color: HexColor,
    logo: z.string().nullable().meta({
      description: "A document's id, or a storage key; null takes the organization's logo.",
    }),
  })
  .meta({ id: 'ReportTheme', description: "A report's colour and logo." });

export const ReportInclude = z
  .strictObject({ unanswered: z.boolean(), na: z.boolean(), notes: z.boolean(), media: z.boolean() })
  .meta({ id: 'ReportInclude', description: 'What of the answers is shown.' });
export type ReportInclude = z.infer<typeof ReportInclude>;

const MOST_BLOCKS = 20;
/** All layouts of a family have to fit into the 4 MB of one transaction, with the content of a version. */
const MOST_TEXT = 30_000;

const ReportBlocks = z
  .array(ReportBlock)
  .max(MOST_BLOCKS)
  .check(({ value: blocks, issues }) => {
    const length = blocks.reduce((sum, { options }) => sum + (options.text?.length ?? 0), 0);
    if (length > MOST_TEXT) {
      const message = `Value error, all texts together are at most ${MOST_TEXT} characters, not ${length}`;
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

/** What a report looks like whose template family has no layout of its own: everything, in a client's reading order. */
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
    locale: z.string().meta({ description: 'BCP 47; an unknown one is drawn as English.' }),
    timezone: z.string().meta({ description: 'IANA name; an unknown one is drawn as UTC.' }),
    date_format: z.string().nullable().meta({
      description:
        "YYYY, YY, MMMM, MMM, MM, M, DD and D with anything between them; null is the locale's own.",
    }),
    time_format: z.enum(['12h', '24h']).nullable().meta({ description: "Null is the locale's own." }),
    logo: z.string().nullable().meta({ description: 'Storage key.' }),
  })
  .meta({ id: 'ReportOrganization', description: 'Who hands out the report, and how it writes dates.' });
export type ReportOrganization = z.infer<typeof ReportOrganization>;

const ReportIdentity = z
  .strictObject({
    id: z.uuid().nullable().meta({ description: 'Null in a preview.' }),
    title: z.string(),
    version: z.int().min(1),
    generated_at: Timestamp,
  })
  .meta({ id: 'ReportIdentity', description: 'Which report this is.' });

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
    description: 'A photo or another file; the renderer loads photos by document_id.',
  });
export type ReportMedia = z.infer<typeof ReportMedia>;

const ReportClient = z
  .strictObject({ id: z.uuid(), name: z.string() })
  .meta({ id: 'ReportClient', description: 'The client account inspected.' });

const ReportLocation = z
  .strictObject({
    id: z.uuid(),
    name: z.string(),
    address: z.string().meta({ description: 'As written on an envelope, lines by \\n; empty when unknown.' }),
  })
  .meta({ id: 'ReportLocation', description: 'Where the inspection took place.' });

const ReportTemplate = z
  .strictObject({ id: z.uuid(), name: z.string(), version_number: z.int().min(1) })
  .meta({ id: 'ReportTemplate', description: 'The template version the inspection followed.' });

const ReportParticipant = Participant.pick({
  user_id: true,
  name: true,
  role: true,
  status: true,
  submitted_at: true,
}).meta({ id: 'ReportParticipant', description: 'Someone who took part.' });

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

const ReportProgress = z
  .strictObject({ answered: Count, required: Count, total: Count })
  .meta({ id: 'ReportProgress', description: 'How far the inspection has come.' });

const ReportCounts = z
  .strictObject({ answered: Count, failed: Count, na: Count })
  .meta({ id: 'ReportCounts', description: 'Answers by outcome.' });

const ReportSeverities = z
  .strictObject({ observation: Count, minor: Count, major: Count, critical: Count })
  .meta({ id: 'ReportSeverities', description: 'Findings by severity.' });

const ReportSectionScore = SectionScore.omit({ weight: true, share: true, share_max: true })
  .extend({ depth: z.int().min(1).meta({ description: '1 for an outermost section.' }) })
  .meta({ id: 'ReportSectionScore', description: 'How a section did, in all its instances.' });
export type ReportSectionScore = z.infer<typeof ReportSectionScore>;

const ReportSummary = z
  .strictObject({
    progress: ReportProgress,
    counts: ReportCounts,
    findings: ReportSeverities,
    score: Score.nullable().meta({ description: 'Null where the template does not score.' }),
    section_scores: z.array(ReportSectionScore).meta({ description: 'Of sections that are scored.' }),
  })
  .meta({ id: 'ReportSummary', description: 'The inspection in figures.' });

export const ReportFinding = z
  .strictObject({
    id: z.uuid(),
    number: z.int().min(1),
    label: z.string(),
    severity: Severity,
    status: z.enum(['open', 'resolved']),
    origin: z.enum(['auto', 'manual', 'issue']),
    section_title: z.string().nullable(),
    field_label: z.string().nullable(),
    description: z.string(),
    recommendation: z.string(),
    root_cause: z.string(),
    media: z.array(ReportMedia),
  })
  .meta({ id: 'ReportFinding', description: 'A finding as the client reads it.' });
export type ReportFinding = z.infer<typeof ReportFinding>;

export const ReportCorrectiveAction = z
  .strictObject({
    id: z.uuid(),
    number: z.int().min(1),
    finding_number: z.int().min(1),
    title: z.string(),
    description: z.string(),
    priority: z.enum(['low', 'medium', 'high', 'critical']),
    status: z.enum(['open', 'in_progress', 'pending_verification', 'verified', 'cancelled']),
    is_overdue: z.boolean(),
    assignee_name: z.string().nullable(),
    due_at: Timestamp.nullable(),
    completed_at: Timestamp.nullable(),
    completion_note: z.string(),
    verified_at: Timestamp.nullable(),
  })
  .meta({ id: 'ReportCorrectiveAction', description: 'What is to be done about a finding, and by whom.' });
export type ReportCorrectiveAction = z.infer<typeof ReportCorrectiveAction>;

const ReportAnswer = z
  .strictObject({
    text: z.string().nullable().meta({ description: 'As a person reads it; null or empty is unanswered.' }),
    value: z.unknown().meta({ description: 'As it was saved.' }),
  })
  .meta({ id: 'ReportAnswer', description: 'An answer, to be read and to be computed with.' });

export const ReportField = z
  .strictObject({
    id: z.string().meta({ description: 'A uuid; the key in the Start section.' }),
    type: z
      .string()
      .meta({ description: "The field's type, as in the template; an instruction has no answer." }),
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
    instance: z.string().nullable().meta({ description: 'Which repetition this is; null outside repeats.' }),
    fields: z.array(ReportField),
    get sections() {
      return z.array(ReportSection);
    },
  })
  .meta({
    id: 'ReportSection',
    description: 'A section; each repetition of a repeated one is a section here.',
  });
export type ReportSection = z.infer<typeof ReportSection>;

export const ReportSignature = z
  .strictObject({
    label: z.string(),
    signed_name: z.string(),
    signed_at: Timestamp.nullable(),
    document_id: z.uuid().nullable().meta({ description: 'The drawn signature.' }),
    typed: z.string().nullable().meta({ description: 'The typed signature.' }),
  })
  .meta({ id: 'ReportSignature', description: 'Who signed, drawn or typed.' });
export type ReportSignature = z.infer<typeof ReportSignature>;

/**
 * Everything a report shows and nothing else: the reply of GET /inspections/{inspection_id}/report-payload and the
 * exact JSON the renderer draws. Images are named by document id or storage key; no URL and no credential is in it.
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
    description: 'Everything a report shows: the exact JSON its renderer draws.',
  });
export type ReportPayload = z.infer<typeof ReportPayload>;
