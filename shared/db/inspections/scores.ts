import type { Caller } from '../../base/caller.ts';
import { evaluate, type Evaluation } from '../../domain/content/conditions/evaluate.ts';
import { explainScore } from '../../domain/content/scoring/explain.ts';
import type { Answer } from '../../domain/content/values/answer.ts';
import { isOpen } from '../../domain/inspections/workflow.ts';
import type { AnswerRecord } from '../../schemas/inspections/answer.ts';
import type { ScoreExplanation } from '../../schemas/inspections/score.ts';
import { inspectionRecords } from '../inspection-core/inspection-record.ts';
import type { StoredInspection } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { queryRows } from '../table/rows.ts';
import { contentOf } from '../templates/content.ts';

/** The attributes of an answer that scoring, and the check before a submission, need. */
const ANSWER = [
  'field_id',
  'instance_path',
  'value',
  'note',
  'is_na',
  'media',
  'answered_at',
  'is_prefilled',
  'is_asked_again',
] satisfies (keyof AnswerRecord)[];

type GivenAnswer = Answer & Pick<AnswerRecord, 'answered_at'>;

/**
 * An inspection's answers, and the results of its conditions and formulas. Calls: a Query per megabyte of answers, and
 * the content unless it is cached.
 */
export const readEvaluation = async (
  caller: Caller,
  { id, template_id, content_hash, start_answers }: StoredInspection,
): Promise<{ answers: GivenAnswer[]; evaluation: Evaluation }> => {
  const [index, answers] = await Promise.all([
    contentOf(caller, template_id, content_hash),
    Array.fromAsync(
      queryRows<GivenAnswer>(caller, {
        ...keys.parts(caller, 'INSPECTION', id, 'ANSWER'),
        only: ANSWER,
      }),
    ),
  ]);
  return { answers, evaluation: evaluate(index, answers, start_answers) };
};

/**
 * Explains an inspection's score by its current answers. Once the answers are locked, the score is the stored one.
 * @throws ApiError 404
 */
export const explainInspectionScore = async (caller: Caller, id: string): Promise<ScoreExplanation> => {
  const inspection = await inspectionRecords.get(caller, id);
  const { status, archived_from, active_correction_id } = inspection;
  const { evaluation } = await readEvaluation(caller, inspection);
  const explanation = explainScore(evaluation);
  const is_final = !isOpen(archived_from ?? status) && active_correction_id === null;
  return {
    inspection_id: id,
    is_final,
    ...explanation,
    ...(is_final && { score: inspection.score }),
  };
};
