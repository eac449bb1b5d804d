import { correctedField } from '../../../schemas/inspections/fields.ts';
import type { ReportAnswer } from '../../../schemas/reports/report-answer.ts';
import type {
  ReportCorrectiveAction,
  ReportFinding,
  ReportAnswerState,
  ReportChange,
  ReportCorrection,
} from '../../../schemas/reports/report-payload.ts';
import type { ContentIndex } from '../../content/content-index.ts';
import { placeName } from '../../content/instance-paths.ts';
import { fieldInstances } from '../../content/instances.ts';
import { contactName, isActionOverdue } from '../../corrective-actions.ts';
import {
  type ReportedAction,
  type ReportedFinding,
  type ReportMaterial,
  changedQuestion,
  type ReportedCorrection,
  type ReportedRevision,
} from '../material.ts';
import { actingOf, ofType, typedAnswer } from './answers.ts';
import { fieldOf, mediaOf } from './fields.ts';
import { numberedLabel } from './labels.ts';
import type { EvaluatedMaterial } from './material.ts';
import { questionPlace, type QuestionPlace } from './places.ts';

/** The name of a person, as it was when the action was closed, or else as it is. */
const nameOf = (
  { names }: ReportMaterial,
  { names_then }: Pick<ReportedAction, 'names_then'>,
  id: string | null,
): string | null => {
  if (id === null) return null;
  const then = names_then?.people.find(({ user_id }) => user_id === id);
  return then?.name ?? names.get(id) ?? null;
};

/** @param now the time at which actions are overdue or not, as an ISO timestamp */
const actionOf = (material: ReportMaterial, action: ReportedAction, now: string): ReportCorrectiveAction => {
  const { finding_id: _, assignee_id, completed_by, verified_by, verified_via_key_id, ...others } = action;
  const { contact, completed_by_contact, names_then: _names, ...shown } = others;
  const outsider = contactName(contact);
  const verified_for = actingOf(material, verified_by, verified_via_key_id);
  const attached = material.attachments.filter(({ action_id }) => action_id === action.id);
  const ofStage = (wanted: 'before' | 'after') =>
    mediaOf(
      material,
      attached.filter(({ stage }) => stage === wanted),
    );
  return {
    ...shown,
    is_overdue: isActionOverdue(action, now),
    assignee_name: nameOf(material, action, assignee_id) ?? outsider,
    completed_by_name: completed_by_contact ? outsider : nameOf(material, action, completed_by),
    verified_by_name: nameOf(material, action, verified_by),
    ...(verified_for && { verified_for }),
    before: ofStage('before'),
    after: ofStage('after'),
  };
};

/** The label of a finding. One that only repeats its question is in the report's language, as the question is. */
const labelOf = (
  { index, original }: EvaluatedMaterial,
  { label, origin, field_id }: ReportedFinding,
): string => {
  const question = (content: ContentIndex) => content.fields.get(field_id ?? '')?.field.label;
  return origin === 'auto' && label === question(original) ? (question(index) ?? label) : label;
};

/** A finding. The note of the answer that opened it describes it until somebody writes a description. */
const findingOf = (
  material: EvaluatedMaterial,
  finding: ReportedFinding,
): Omit<ReportFinding, 'position' | 'corrective_actions'> => {
  const { index, answersByPlace, inspection, explained } = material;
  const { id, number, severity, status, origin, trigger_cleared, content, repeat } = finding;
  const { section_id, field_id, instance_path } = finding;
  const field = index.fields.get(field_id ?? '')?.field;
  // The answer beside an earlier inspection's finding is a new one, which does not describe it.
  const isOwn = finding.inspection_id === inspection.id;
  const answer = field && isOwn ? answersByPlace.get(placeName(field.id, instance_path)) : undefined;
  const scored =
    isOwn && material.repeated
      ? explained.fields.find((each) => each.field_id === field_id && each.instance_path === instance_path)
      : undefined;
  const shown = field && answer && fieldOf(material, field, field.id, instance_path, answer);
  return {
    id,
    number,
    label: labelOf(material, finding),
    severity,
    status,
    origin,
    trigger_cleared,
    ...(repeat && { repeat }),
    ...(scored?.repeat_factor && { repeat_factor: scored.repeat_factor }),
    ...questionPlace(material, section_id, field_id, instance_path),
    description: content.description || (shown?.note ?? ''),
    recommendation: content.recommendation,
    root_cause: content.root_cause,
    media: [...mediaOf(material, content.media), ...(shown?.media ?? [])],
  };
};

/**
 * The findings in the order of their questions. A finding of a whole section comes before those of its questions, and a
 * finding without a place comes last. Findings of one place are in the order of their numbers.
 */
const inQuestionOrder = ({ index, evaluation, findings }: EvaluatedMaterial): ReportedFinding[] => {
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
    // An instance that was deleted has no place any more, but its question has.
    return order.get(placeName(id, instance_path)) ?? order.get(placeName(id, '')) ?? order.size;
  };
  return findings.toSorted((one, other) => orderOf(one) - orderOf(other) || one.number - other.number);
};

/** The findings, numbered, each with its corrective actions. @param now as an ISO timestamp */
export const reportFindings = (material: EvaluatedMaterial, now: string): ReportFinding[] => {
  const actions = Map.groupBy(material.actions, ({ finding_id }) => finding_id);
  return inQuestionOrder(material).map((finding, n) => ({
    ...findingOf(material, finding),
    position: n + 1,
    corrective_actions: (actions.get(finding.id) ?? []).map((action) => actionOf(material, action, now)),
  }));
};

/** How the values of a field are shown as a text. */
const TEXTS: Readonly<Record<string, (value: never) => string>> = {
  participants: (participants: readonly { name: string }[]) =>
    participants.map(({ name }) => name).join(', '),
  finding: ({ label }: { label: string }) => label,
};

/** A value of the inspection itself. If this release does not know its field, the value is shown as it is stored. */
const setupValue = (material: EvaluatedMaterial, name: string, value: unknown): ReportAnswer => {
  const known = correctedField(name);
  if (known) return ofType(material, known.type, TEXTS[name]?.(value as never) ?? value);
  return { kind: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) };
};

/** A value before or after a change; null when there was none. */
const typedValue = (
  material: EvaluatedMaterial,
  revision: ReportedRevision,
  value: unknown,
): ReportAnswer | null => {
  if (revision.answer_source === 'setup') {
    return value === null ? null : setupValue(material, revision.field_id, value);
  }
  const field = changedQuestion(material.index, revision);
  return field ? typedAnswer(material, field, value) : null;
};

const placeOf = (material: EvaluatedMaterial, revision: ReportedRevision): QuestionPlace => {
  const { answer_source, section_id, field_id, instance_path } = revision;
  const place = questionPlace(material, section_id, field_id, instance_path);
  if (answer_source === 'setup') return { ...place, field_id };
  if (answer_source !== 'start') return place;
  const { number, label } = numberedLabel(material.index.startFields.get(field_id)?.label ?? field_id);
  return { ...place, field_id, field_number: number, field_label: label };
};

const changeOf = (material: EvaluatedMaterial, revision: ReportedRevision): ReportChange => {
  const state = (value: unknown, is_na: boolean, note: string): ReportAnswerState => ({
    answer: typedValue(material, revision, value),
    is_na,
    note,
  });
  return {
    source: revision.answer_source,
    ...placeOf(material, revision),
    before: state(revision.previous_value, revision.previous_is_na, revision.previous_note),
    after: state(revision.value, revision.is_na, revision.note),
    changed_by_name: material.names.get(revision.changed_by) ?? null,
    changed_at: revision.changed_at,
  };
};

type Approval = Pick<ReportCorrection, 'approved_by_name' | 'approved_at' | 'approved_for'>;

const approvalOf = (
  material: EvaluatedMaterial,
  { decided_by, decided_at, decided_via_key_id }: Partial<ReportedCorrection>,
): Approval => {
  const approved_for = actingOf(material, decided_by, decided_via_key_id);
  return {
    approved_by_name: material.names.get(decided_by!) ?? null,
    approved_at: decided_at!,
    ...(approved_for && { approved_for }),
  };
};

/**
 * The corrections that are in force, and the one that is not in force yet, with their changes. Others were taken back.
 */
export const reportCorrections = (material: EvaluatedMaterial): ReportCorrection[] => {
  const { names, corrections, revisions } = material;
  const changes = Map.groupBy(revisions, ({ correction_id }) => correction_id);
  return corrections
    .filter(({ status }) => status !== 'discarded' && status !== 'rejected')
    .map(({ id, reason, status, opened_by, created_at, closed_by, closed_at, ...decided }, n) => ({
      position: n + 1,
      reason,
      status,
      opened_by_name: names.get(opened_by) ?? null,
      opened_at: created_at,
      closed_by_name: closed_by === null ? null : (names.get(closed_by) ?? null),
      closed_at,
      ...(status === 'closed' && decided.decision === 'approved'
        ? approvalOf(material, decided)
        : { approved_by_name: null, approved_at: null }),
      changes: (changes.get(id) ?? []).map((revision) => changeOf(material, revision)),
    }));
};
