import type { ReportCorrectiveAction, ReportFinding } from '../../../schemas/reports/report-payload.ts';
import type { ContentIndex } from '../../content/content-index.ts';
import { placeName } from '../../content/instance-paths.ts';
import { fieldInstances } from '../../content/instances.ts';
import { contactName, isActionOverdue } from '../../corrective-actions.ts';
import type { ReportedAction, ReportedFinding, ReportSources } from '../sources.ts';
import { actingOf } from './answers.ts';
import { fieldOf, mediaOf } from './fields.ts';
import { questionPlace } from './places.ts';
import type { EvaluatedSources } from './sources.ts';

const nameOf = ({ names }: ReportSources, id: string | null): string | null =>
  id === null ? null : (names.get(id) ?? null);

/** @param now the time at which actions are overdue or not, as an ISO timestamp */
const actionOf = (sources: ReportSources, action: ReportedAction, now: string): ReportCorrectiveAction => {
  const { finding_id: _, assignee_id, completed_by, verified_by, verified_via_key_id, ...others } = action;
  const { contact, completed_by_contact, ...shown } = others;
  const outsider = contactName(contact);
  const verified_for = actingOf(sources, verified_by, verified_via_key_id);
  const attached = sources.attachments.filter(({ action_id }) => action_id === action.id);
  const ofStage = (wanted: 'before' | 'after') =>
    mediaOf(
      sources,
      attached.filter(({ stage }) => stage === wanted),
    );
  return {
    ...shown,
    is_overdue: isActionOverdue(action, now),
    assignee_name: nameOf(sources, assignee_id) ?? outsider,
    completed_by_name: completed_by_contact ? outsider : nameOf(sources, completed_by),
    verified_by_name: nameOf(sources, verified_by),
    ...(verified_for && { verified_for }),
    before: ofStage('before'),
    after: ofStage('after'),
  };
};

/** The label of a finding. One that only repeats its question is in the report's language, as the question is. */
const labelOf = (
  { index, original }: EvaluatedSources,
  { label, origin, field_id }: ReportedFinding,
): string => {
  const question = (content: ContentIndex) => content.fields.get(field_id ?? '')?.field.label;
  return origin === 'auto' && label === question(original) ? (question(index) ?? label) : label;
};

/** A finding. The note of the answer that opened it describes it until somebody writes a description. */
const findingOf = (
  sources: EvaluatedSources,
  finding: ReportedFinding,
): Omit<ReportFinding, 'position' | 'corrective_actions'> => {
  const { index, answersByPlace, inspection } = sources;
  const { id, number, severity, status, origin, trigger_cleared, content } = finding;
  const { section_id, field_id, instance_path } = finding;
  const field = index.fields.get(field_id ?? '')?.field;
  // The answer beside an earlier inspection's finding is a new one, which does not describe it.
  const isOwn = finding.inspection_id === inspection.id;
  const answer = field && isOwn ? answersByPlace.get(placeName(field.id, instance_path)) : undefined;
  const shown = field && answer && fieldOf(sources, field, field.id, instance_path, answer);
  return {
    id,
    number,
    label: labelOf(sources, finding),
    severity,
    status,
    origin,
    trigger_cleared,
    ...questionPlace(sources, section_id, field_id, instance_path),
    description: content.description || (shown?.note ?? ''),
    recommendation: content.recommendation,
    root_cause: content.root_cause,
    media: [...mediaOf(sources, content.media), ...(shown?.media ?? [])],
  };
};

/**
 * The findings in the order of their questions. One of a whole section stands before those of its questions, one
 * without a place at the end; those of one place in the order of their numbers.
 */
const inQuestionOrder = ({ index, evaluation, findings }: EvaluatedSources): ReportedFinding[] => {
  const order = new Map<string, number>();
  for (const { place, instance_path } of fieldInstances(index, evaluation.instances)) {
    const { section, field } = place;
    for (const name of [
      placeName(section.id, ''),
      placeName(section.id, instance_path),
      placeName(field.id, ''),
      placeName(field.id, instance_path),
    ])
      if (!order.has(name)) order.set(name, order.size);
  }
  const orderOf = ({ section_id, field_id, instance_path }: ReportedFinding): number => {
    const id = field_id ?? section_id ?? '';
    // The place of an instance that was deleted is not known any more: its question's is.
    return order.get(placeName(id, instance_path)) ?? order.get(placeName(id, '')) ?? order.size;
  };
  return findings.toSorted((one, other) => orderOf(one) - orderOf(other) || one.number - other.number);
};

/** The findings, numbered, each with its corrective actions. @param now as an ISO timestamp */
export const reportFindings = (sources: EvaluatedSources, now: string): ReportFinding[] => {
  const actions = Map.groupBy(sources.actions, ({ finding_id }) => finding_id);
  return inQuestionOrder(sources).map((finding, n) => ({
    ...findingOf(sources, finding),
    position: n + 1,
    corrective_actions: (actions.get(finding.id) ?? []).map((action) => actionOf(sources, action, now)),
  }));
};
