import type { ReportField, ReportMedia } from '../../../schemas/reports/report-payload.ts';
import { evaluate, type Evaluation } from '../../content/conditions/evaluate.ts';
import { type FieldPlace, isMedia, type Question } from '../../content/content-index.ts';
import { placeName } from '../../content/instance-paths.ts';
import { isAnswered, type MediaItem } from '../../content/values/answer.ts';
import { isFailed } from '../../content/values/comparison.ts';
import { displayAnswer } from '../../content/values/display.ts';
import type { ReportedAnswer, ReportSources } from '../sources.ts';

/** The sources of a report with its answers evaluated: what every block of the payload is made of. */
export interface EvaluatedSources extends ReportSources {
  evaluation: Evaluation;
  /** By `placeName`. */
  answersByPlace: ReadonlyMap<string, ReportedAnswer>;
}

export const evaluated = (sources: ReportSources): EvaluatedSources => ({
  ...sources,
  evaluation: evaluate(sources.index, sources.answers, sources.startAnswers),
  answersByPlace: new Map(
    sources.answers.map((answer) => [placeName(answer.field_id, answer.instance_path), answer]),
  ),
});

/** Types whose answer is the id of something that has a name. */
const NAMED = new Set(['member', 'client_account', 'location']);

/** What a report shows for a document that was deleted. */
const DELETED = { file_name: 'deleted document', mime_type: 'application/octet-stream' };

/** An answer that is not saved as a record, and has no author. */
const unsigned = (field_id: string, instance_path: string, value: unknown): ReportedAnswer => ({
  field_id,
  instance_path,
  value: value ?? null,
  note: '',
  is_na: false,
  answered_by: null,
  answered_at: null,
});

export const isShown = ({ evaluation }: EvaluatedSources, place: FieldPlace, path: string): boolean =>
  evaluation.standingOf(place, path) !== 'hidden';

/** The saved answer to a field, or the result of a calculated one, without an author. */
export const answerAt = (
  { evaluation, answersByPlace }: EvaluatedSources,
  place: FieldPlace,
  path: string,
): ReportedAnswer | undefined => {
  const { id, type } = place.field;
  if (type !== 'calculated') return answersByPlace.get(placeName(id, path));
  const result = evaluation.answerOf(place, path);
  return result && unsigned(id, path, result.value);
};

/** An answer to a start field; these have no records of their own. */
export const startAnswer = ({ startAnswers }: ReportSources, key: string): ReportedAnswer =>
  unsigned(key, '', startAnswers[key]);

export const mediaOf = ({ documents }: ReportSources, items: readonly MediaItem[]): ReportMedia[] =>
  items.map(({ document_id, caption }) => ({
    document_id,
    caption: caption ?? '',
    ...(documents.get(document_id) ?? DELETED),
  }));

/** An answer's value as a person reads it. */
export const textOf = ({ names, index }: ReportSources, field: Question, value: unknown): string =>
  NAMED.has(field.type) && typeof value === 'string'
    ? (names.get(value) ?? value)
    : displayAnswer(field, index, value);

/** A field with its answer. @param id the field's id, or the key of a start field */
export const fieldOf = (
  sources: EvaluatedSources,
  field: Question,
  id: string,
  answer: ReportedAnswer | undefined,
): ReportField => {
  const answered = answer && isAnswered(answer) ? answer : undefined;
  const media = answered && isMedia(field) && !answered.is_na ? (answered.value as MediaItem[]) : [];
  return {
    id,
    type: field.type,
    label: field.label,
    ...('help_text' in field && field.help_text && { help: field.help_text }),
    answer: {
      text: answered ? textOf(sources, field, answered.value) || 'N/A' : null,
      value: answered?.value ?? null,
    },
    is_failed: answered !== undefined && !answered.is_na && isFailed(field, sources.index, answered.value),
    is_na: answered?.is_na ?? false,
    note: answer?.note ?? '',
    media: mediaOf(sources, [...media, ...(answer?.media ?? [])]),
    answered_at: answered?.answered_at ?? null,
    answered_by_name: answered?.answered_by ? (sources.names.get(answered.answered_by) ?? null) : null,
  };
};
