import type { Caller } from '../../base/caller.ts';
import { evaluate, type Evaluation } from '../../domain/content/conditions/evaluate.ts';
import { withAnswers } from '../../domain/content/piping.ts';
import { answerBlockers, missingStart } from '../../domain/content/progress.ts';
import { explainScore, scoreOf } from '../../domain/content/scoring/explain.ts';
import type { Answer } from '../../domain/content/values/answer.ts';
import { isOpen } from '../../domain/inspections/workflow.ts';
import type { AnswerRecord } from '../../schemas/inspections/answer.ts';
import type { Score } from '../../schemas/inspections/inspection.ts';
import type { ScoreExplanation } from '../../schemas/inspections/score.ts';
import type { Section } from '../../schemas/templates/content.ts';
import { inspectionRecords } from '../inspection-core/inspection-record.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { queryRows } from '../table/rows.ts';
import { contentOf } from '../templates/content.ts';

/** The attributes of an answer that scoring and the check before a submission need. */
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

type ScoredAnswer = Answer & Pick<AnswerRecord, 'answered_at'>;

/**
 * An inspection's answers, and the results of its conditions and formulas. Calls: a Query per megabyte of answers, and
 * the content unless it is cached.
 */
export const readEvaluation = async (
  caller: Caller,
  { id, template_id, content_hash, start_answers }: StoredInspection,
): Promise<{ answers: ScoredAnswer[]; evaluation: Evaluation }> => {
  const [index, answers] = await Promise.all([
    contentOf(caller, template_id, content_hash),
    Array.fromAsync(
      queryRows<ScoredAnswer>(caller, {
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

/** The ids of sections, with those within them. */
const sectionIdsWithin = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ id, sections: inner }) => [id, ...sectionIdsWithin(inner)]);

const blockerText = (what: string, reason: string, message: string | undefined): string =>
  message === undefined ? `${what}: ${reason}` : `${what}: ${reason} (${message})`;

/**
 * The names of missing answers, for the message of a 409, and the score.
 * @param sectionIds the sections to check, with those within them; absent for all sections and the start answers
 * @returns a null score when only some sections were checked
 */
export const assessAnswers = async (
  caller: Caller,
  inspection: StoredInspection,
  sectionIds?: readonly string[],
): Promise<{ blockers: string[]; score: Score | null }> => {
  const { answers, evaluation } = await readEvaluation(caller, inspection);
  const { index } = evaluation;
  const shown = (text: string) => withAnswers(evaluation, text, { repeats: [], path: '' });
  const own =
    sectionIds && new Set(sectionIdsWithin(sectionIds.map((id) => index.sections.get(id)!.section)));
  const fields = answerBlockers(evaluation, answers).filter(
    ({ field_id }) => !own || own.has(index.fields.get(field_id)!.section.id),
  );
  const blockers = [
    ...(own
      ? []
      : missingStart(evaluation).map(({ label, required_message }) =>
          blockerText(shown(label), 'required', required_message && shown(required_message)),
        )),
    ...fields.map(({ label, instance_path, reason, message }) =>
      blockerText(instance_path ? `${label} at ${instance_path}` : label, reason, message),
    ),
  ];
  return { blockers, score: own ? null : scoreOf(evaluation) };
};
