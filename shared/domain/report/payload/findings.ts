import type { Finding } from '../../../schemas/finding.ts';
import type { ReportCorrectiveAction, ReportFinding } from '../../../schemas/reports/report-payload.ts';
import { placeName } from '../../content/instance-paths.ts';
import { isActionOverdue } from '../../corrective-actions.ts';
import type { ReportedAction, ReportSources } from '../sources.ts';
import { type EvaluatedSources, fieldOf, mediaOf } from './fields.ts';

/** A finding. The note of the answer that opened it describes it until somebody writes a description. */
const findingOf = (sources: EvaluatedSources, finding: Finding): ReportFinding => {
  const { index, answersByPlace } = sources;
  const { id, number, label, severity, status, origin, section_id, field_id, instance_path, content } =
    finding;
  const field = index.fields.get(field_id ?? '')?.field;
  const answer = field && answersByPlace.get(placeName(field.id, instance_path));
  const shown = answer && fieldOf(sources, field, field.id, answer);
  return {
    id,
    number,
    label,
    severity,
    status,
    origin,
    section_title: index.sections.get(section_id ?? '')?.section.title ?? null,
    field_label: field?.label ?? null,
    description: content.description || (shown?.note ?? ''),
    recommendation: content.recommendation,
    root_cause: content.root_cause,
    media: [...mediaOf(sources, content.media), ...(shown?.media ?? [])],
  };
};

export const reportFindings = (sources: EvaluatedSources): ReportFinding[] =>
  sources.findings.map((finding) => findingOf(sources, finding));

const actionOf = (
  { names }: ReportSources,
  action: ReportedAction,
  findingNumber: number,
  now: string,
): ReportCorrectiveAction => {
  const { id, number, title, description, priority, status, due_at, completed_at } = action;
  const { completion_note, verified_at, assignee_id } = action;
  return {
    id,
    number,
    finding_number: findingNumber,
    title,
    description,
    priority,
    status,
    is_overdue: isActionOverdue(action, now),
    assignee_name: assignee_id && (names.get(assignee_id) ?? null),
    due_at,
    completed_at,
    completion_note,
    verified_at,
  };
};

/** @param now the time at which actions are overdue or not, as an ISO timestamp */
export const reportActions = (sources: ReportSources, now: string): ReportCorrectiveAction[] => {
  const numbers = new Map(sources.findings.map(({ id, number }) => [id, number]));
  return sources.actions.map((action) => actionOf(sources, action, numbers.get(action.finding_id)!, now));
};
