import type {
  ReportAnswerState,
  ReportChange,
  ReportCorrection,
} from '../../../schemas/reports/report-correction.ts';
import type { ReportedRevision } from '../sources.ts';
import { typedAnswer } from './answers.ts';
import { numberedLabel } from './labels.ts';
import { questionPlace, type QuestionPlace } from './places.ts';
import type { EvaluatedSources } from './sources.ts';

const changedField = ({ index }: EvaluatedSources, { answer_source, field_id }: ReportedRevision) =>
  answer_source === 'start' ? index.startFields.get(field_id) : index.fields.get(field_id)?.field;

const placeOf = (sources: EvaluatedSources, revision: ReportedRevision): QuestionPlace => {
  const { answer_source, section_id, field_id, instance_path } = revision;
  const place = questionPlace(sources, section_id, field_id, instance_path);
  if (answer_source !== 'start') return place;
  const { number, label } = numberedLabel(sources.index.startFields.get(field_id)?.label ?? field_id);
  return { ...place, field_id, field_number: number, field_label: label };
};

const changeOf = (sources: EvaluatedSources, revision: ReportedRevision): ReportChange => {
  const field = changedField(sources, revision);
  const state = (value: unknown, is_na: boolean, note: string): ReportAnswerState => ({
    answer: field ? typedAnswer(sources, field, value) : null,
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

/** The corrections that are in force, with their changes; a discarded one has been taken back. */
export const reportCorrections = (sources: EvaluatedSources): ReportCorrection[] => {
  const { names, corrections, revisions } = sources;
  const changes = Map.groupBy(revisions, ({ correction_id }) => correction_id);
  return corrections
    .filter(({ status }) => status !== 'discarded')
    .map(({ id, reason, status, opened_by, created_at, closed_by, closed_at }, n) => ({
      position: n + 1,
      reason,
      status,
      opened_by_name: names.get(opened_by) ?? null,
      opened_at: created_at,
      closed_by_name: closed_by === null ? null : (names.get(closed_by) ?? null),
      closed_at,
      changes: (changes.get(id) ?? []).map((revision) => changeOf(sources, revision)),
    }));
};
