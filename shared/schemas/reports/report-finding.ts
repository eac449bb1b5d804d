import * as z from 'zod';
import { Priority, Severity } from '../choices.ts';
import { Timestamp } from '../common.ts';
import { CorrectiveActionStatus } from '../corrective-action.ts';
import { FindingOrigin, FindingStatus } from '../finding.ts';
import { questionPlace, ReportMedia } from './report-answer.ts';
import { ReportActing } from './report-correction.ts';

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
    trigger_cleared: z
      .boolean()
      .meta({ description: 'Whether the answer that led to it no longer fails, after a correction.' }),
    ...questionPlace,
    description: z.string(),
    recommendation: z.string(),
    root_cause: z.string(),
    media: z.array(ReportMedia),
    corrective_actions: z.array(ReportCorrectiveAction),
  })
  .meta({ id: 'ReportFinding', description: 'A finding with its corrective actions.' });
export type ReportFinding = z.output<typeof ReportFinding>;
