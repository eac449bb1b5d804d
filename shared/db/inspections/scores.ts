import type { Caller } from '../../base/caller.ts';
import { type Evaluation, evaluate } from '../../domain/content/conditions.ts';
import { explainScore } from '../../domain/content/scoring.ts';
import type { Answer } from '../../domain/content/values.ts';
import { isOpen } from '../../domain/inspections/workflow.ts';
import type { ScoreExplanation } from '../../schemas/inspections/score.ts';
import { rows, type StoredInspection } from '../inspection-core/record.ts';
import { keys } from '../table/keys.ts';
import { queryRows } from '../table/rows.ts';
import { contentOf } from '../templates/content.ts';

/** What is judged of an answer; the rest of its record is most of it. */
const ANSWER = ['field_id', 'instance_path', 'value', 'note', 'is_na', 'media'] satisfies (keyof Answer)[];

/**
 * An inspection's answers, and what conditions and formulas make of them. Calls: a Query per megabyte of answers,
 * and its content unless remembered.
 */
export const evaluated = async (
  caller: Caller,
  { id, template_id, content_hash, start_answers }: StoredInspection,
): Promise<{ answers: Answer[]; evaluation: Evaluation }> => {
  const [index, answers] = await Promise.all([
    contentOf(caller, template_id, content_hash),
    Array.fromAsync(
      queryRows<Answer>(caller, {
        partition: keys.below(caller, 'INSPECTION', id),
        prefix: 'ANSWER#',
        only: ANSWER,
      }),
    ),
  ]);
  return { answers, evaluation: evaluate(index, answers, start_answers) };
};

/**
 * How the score of an inspection comes about, by the answers as they stand; once these are locked, the score is
 * the one that was frozen with them.
 * @throws ApiError 404
 */
export const explainInspectionScore = async (caller: Caller, id: string): Promise<ScoreExplanation> => {
  const inspection = await rows.get(caller, id);
  const { status, archived_from, active_correction_id } = inspection;
  const { evaluation } = await evaluated(caller, inspection);
  const explanation = explainScore(evaluation);
  const is_final = !isOpen(archived_from ?? status) && active_correction_id === null;
  return {
    inspection_id: id,
    is_final,
    ...explanation,
    ...(is_final && { score: inspection.score }),
  };
};
