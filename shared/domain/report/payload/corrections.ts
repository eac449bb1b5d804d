import { correctedField } from '../../../schemas/inspections/fields.ts';
import type { ReportAnswer } from '../../../schemas/reports/report-answer.ts';
import type {
  ReportAnswerState,
  ReportChange,
  ReportCorrection,
} from '../../../schemas/reports/report-payload.ts';
import { changedQuestion, type ReportedCorrection, type ReportedRevision } from '../sources.ts';
import { actingOf, ofType, typedAnswer } from './answers.ts';
import { numberedLabel } from './labels.ts';
import { questionPlace, type QuestionPlace } from './places.ts';
import type { EvaluatedSources } from './sources.ts';

/** Values that are shown as a text of theirs. */
const TEXTS: Readonly<Record<string, (value: never) => string>> = {
  participants: (participants: readonly { name: string }[]) =>
    participants.map(({ name }) => name).join(', '),
  finding: ({ label }: { label: string }) => label,
};

/** A value of the inspection itself. That of a field which this release does not know is shown as it is stored. */
const setupValue = (sources: EvaluatedSources, name: string, value: unknown): ReportAnswer => {
  const known = correctedField(name);
  if (known) return ofType(sources, known.type, TEXTS[name]?.(value as never) ?? value);
  return { kind: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) };
};

/** A value before or after a change; null where there was none. */
const typedValue = (
  sources: EvaluatedSources,
  revision: ReportedRevision,
  value: unknown,
): ReportAnswer | null => {
  if (revision.answer_source === 'setup') {
    return value === null ? null : setupValue(sources, revision.field_id, value);
  }
  const field = changedQuestion(sources.index, revision);
  return field ? typedAnswer(sources, field, value) : null;
};

const placeOf = (sources: EvaluatedSources, revision: ReportedRevision): QuestionPlace => {
  const { answer_source, section_id, field_id, instance_path } = revision;
  const place = questionPlace(sources, section_id, field_id, instance_path);
  if (answer_source === 'setup') return { ...place, field_id };
  if (answer_source !== 'start') return place;
  const { number, label } = numberedLabel(sources.index.startFields.get(field_id)?.label ?? field_id);
  return { ...place, field_id, field_number: number, field_label: label };
};

const changeOf = (sources: EvaluatedSources, revision: ReportedRevision): ReportChange => {
  const state = (value: unknown, is_na: boolean, note: string): ReportAnswerState => ({
    answer: typedValue(sources, revision, value),
    is_na,
    note,
  });
  return {
    source: revision.answer_source,
    ...placeOf(sources, revision),
    before: state(revision.previous_value, revision.previous_is_na, revision.previous_note),
    after: state(revision.value, revision.is_na, revision.note),
    changed_by_name: sources.names.get(revision.changed_by) ?? null,
    changed_at: revision.changed_at,
  };
};

type Approval = Pick<ReportCorrection, 'approved_by_name' | 'approved_at' | 'approved_for'>;

const approvalOf = (
  sources: EvaluatedSources,
  { decided_by, decided_at, decided_via_key_id }: Partial<ReportedCorrection>,
): Approval => {
  const approved_for = actingOf(sources, decided_by, decided_via_key_id);
  return {
    approved_by_name: sources.names.get(decided_by!) ?? null,
    approved_at: decided_at!,
    ...(approved_for && { approved_for }),
  };
};

/** The corrections that are in force, and the one that is not yet, with their changes. Others have been taken back. */
export const reportCorrections = (sources: EvaluatedSources): ReportCorrection[] => {
  const { names, corrections, revisions } = sources;
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
        ? approvalOf(sources, decided)
        : { approved_by_name: null, approved_at: null }),
      changes: (changes.get(id) ?? []).map((revision) => changeOf(sources, revision)),
    }));
};
