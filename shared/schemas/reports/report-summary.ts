import * as z from 'zod';
import { Count, Timestamp } from '../common.ts';
import { Score, ScoreResult } from '../inspections/inspection.ts';
import { SectionScore } from '../inspections/score.ts';
import { questionPlace } from './report-answer.ts';

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
  .extend({ depth: z.int().min(1).meta({ description: '1 for an outermost section.' }) })
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
    passing_score: z.number().nullable().meta({ description: 'Of the total; null without one.' }),
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
    verdict: ReportVerdict.nullable().meta({ description: 'Null in a draft, and without scoring.' }),
    previous_score: ReportPreviousScore.nullable().meta({ description: 'Null when there is none.' }),
  })
  .meta({ id: 'ReportSummary', description: 'The inspection in figures.' });
export type ReportSummary = z.output<typeof ReportSummary>;
