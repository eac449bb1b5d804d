import { own } from '../../../base/fields.ts';
import { evaluate, type Evaluation } from '../../content/conditions/evaluate.ts';
import type { ContentIndex, FieldPlace } from '../../content/content-index.ts';
import { placeName } from '../../content/instance-paths.ts';
import { explainScore } from '../../content/scoring/explain.ts';
import type { ReportedAnswer, ReportMaterial } from '../material.ts';

/** The material of a report with its answers evaluated: what every block of the payload is made of. */
export interface EvaluatedMaterial extends ReportMaterial {
  /** The content with its own texts; `index` has those in the report's language. */
  original: ContentIndex;
  evaluation: Evaluation;
  explained: ReturnType<typeof explainScore>;
  /** By `placeName`. */
  answersByPlace: ReadonlyMap<string, ReportedAnswer>;
  /** Those of the earlier inspection, by `placeName`; undefined in a report that does not compare. */
  earlierByPlace: ReadonlyMap<string, ReportedAnswer> | undefined;
}

const byPlace = (answers: readonly ReportedAnswer[]): Map<string, ReportedAnswer> =>
  new Map(answers.map((answer) => [placeName(answer.field_id, answer.instance_path), answer]));

/** Whether the layout shows the answers of an earlier inspection beside these. */
export const compares = ({ layout }: Pick<ReportMaterial, 'layout'>): boolean =>
  layout.blocks.some(({ kind, options }) => kind === 'sections' && options.before === true);

export const evaluated = (material: ReportMaterial, original: ContentIndex): EvaluatedMaterial => {
  const evaluation = evaluate(material.index, material.answers, material.startAnswers);
  return {
    ...material,
    original,
    evaluation,
    explained: explainScore(evaluation, material.repeated),
    answersByPlace: byPlace(material.answers),
    earlierByPlace: material.earlier && compares(material) ? byPlace(material.earlier.answers) : undefined,
  };
};

export const isShown = ({ evaluation }: EvaluatedMaterial, place: FieldPlace, path: string): boolean =>
  evaluation.standingOf(place, path) !== 'hidden';

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

/** The saved answer to a field, or the result of a calculated one, without an author. */
export const answerAt = (
  { evaluation, answersByPlace }: EvaluatedMaterial,
  place: FieldPlace,
  path: string,
): ReportedAnswer | undefined => {
  const { id, type } = place.field;
  if (type !== 'calculated') return answersByPlace.get(placeName(id, path));
  const result = evaluation.answerOf(place, path);
  return result && unsigned(id, path, result.value);
};

/** An answer to a start field; these have no records of their own. */
export const startAnswer = ({ startAnswers }: ReportMaterial, key: string): ReportedAnswer =>
  unsigned(key, '', own(startAnswers, key));
