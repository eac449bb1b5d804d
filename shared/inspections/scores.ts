import type { Caller } from '../base/caller.ts';
import { evaluate, type Evaluation } from '../domain/content/conditions/evaluate.ts';
import { placeName } from '../domain/content/instance-paths.ts';
import { outlineOf } from '../domain/content/outline.ts';
import { withAnswers } from '../domain/content/piping.ts';
import { answerBlockers, missingStart } from '../domain/content/progress.ts';
import { explainScore } from '../domain/content/scoring/explain.ts';
import type { RepeatedFields } from '../domain/content/scoring/shares.ts';
import type { Answer } from '../domain/content/values/answer.ts';
import { isOpen } from '../domain/inspections/workflow.ts';
import type { AnswerRecord } from '../schemas/inspections/answer.ts';
import type { InspectionBlocker } from '../schemas/inspections/blocker.ts';
import type { InspectionSection } from '../schemas/inspections/outline.ts';
import type { ScoreExplanation } from '../schemas/inspections/score.ts';
import type { Section } from '../schemas/templates/content.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import { keys } from '../table/keys.ts';
import { queryRows } from '../table/rows.ts';
import { contentOf } from '../templates/content.ts';
import { readRepeats } from './findings/repeats.ts';
import { inspectionRecords } from './rows/inspection-records.ts';

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
 * The fields that count more often in the score of an inspection, as its findings are now: those whose findings repeat
 * earlier ones. Undefined where none can. Calls: a Query, and those of `readRepeats`.
 */
const readRepeatedFields = async (
  caller: Caller,
  inspection: StoredInspection,
): Promise<RepeatedFields | undefined> => {
  const { id, repeat_factor: factor, repeat_window } = inspection;
  if (factor === 1 || repeat_window === null) return undefined;
  const findings = await Array.fromAsync(queryRows(caller, keys.parts(caller, 'INSPECTION', id, 'FINDING')));
  const repeatOf = await readRepeats(caller, inspection, findings);
  const repeated = findings.filter((finding) => finding.field_id !== null && repeatOf(finding) !== null);
  return {
    factor,
    places: new Set(repeated.map(({ field_id, instance_path }) => placeName(field_id!, instance_path))),
  };
};

/**
 * The fields that count more often in the score of an inspection: those of the time when its score was computed, once
 * it is. Calls: none for such a score, else as `readRepeatedFields`.
 */
export const repeatedFieldsOf = async (
  caller: Caller,
  inspection: StoredInspection,
): Promise<RepeatedFields | undefined> => {
  const { score, repeat_factor: factor, repeated_fields } = inspection;
  if (score === null) return readRepeatedFields(caller, inspection);
  return repeated_fields && { factor, places: new Set(repeated_fields) };
};

/** Explains the score of an inspection whose current answers were read. */
const explained = async (
  caller: Caller,
  inspection: StoredInspection,
  evaluation: Evaluation,
): Promise<ScoreExplanation> => {
  const { id, status, archived_from, active_correction_id } = inspection;
  const is_final = !isOpen(archived_from ?? status) && active_correction_id === null;
  const repeated = await (is_final ? repeatedFieldsOf : readRepeatedFields)(caller, inspection);
  const explanation = explainScore(evaluation, repeated);
  return {
    inspection_id: id,
    is_final,
    ...explanation,
    ...(is_final && { score: inspection.score }),
  };
};

/**
 * Explains an inspection's score by its current answers. Once the answers are locked, the score is the stored one.
 * @throws ApiError 404
 */
export const explainInspectionScore = async (caller: Caller, id: string): Promise<ScoreExplanation> => {
  const inspection = await inspectionRecords.get(caller, id);
  const { evaluation } = await readEvaluation(caller, inspection);
  return explained(caller, inspection, evaluation);
};

/**
 * The sections of an inspection, as far as they are answered, with their scores. Calls: as `explainInspectionScore`.
 * @throws ApiError 404
 */
export const listSections = async (caller: Caller, id: string): Promise<InspectionSection[]> => {
  const inspection = await inspectionRecords.get(caller, id);
  const { evaluation } = await readEvaluation(caller, inspection);
  const { sections } = await explained(caller, inspection, evaluation);
  return outlineOf(evaluation, sections);
};

/** The ids of sections, with those within them. */
const sectionIdsWithin = (sections: readonly Section[]): string[] =>
  sections.flatMap(({ id, sections: inner }) => [id, ...sectionIdsWithin(inner)]);

const blockerText = (what: string, code: InspectionBlocker['code'], message: string | undefined): string =>
  message === undefined ? `${what}: ${code}` : `${what}: ${code} (${message})`;

/** The score of an inspection, and the fields that count more often in it. */
export type Scored = Pick<StoredInspection, 'score' | 'repeated_fields'>;

const scoredNow = async (
  caller: Caller,
  inspection: StoredInspection,
  evaluation: Evaluation,
): Promise<Scored> => {
  const repeated = await readRepeatedFields(caller, inspection);
  const { score } = explainScore(evaluation, repeated);
  return { score, ...(repeated && { repeated_fields: [...repeated.places] }) };
};

/**
 * What is missing, and the score.
 * @param sectionIds the sections to check, with those within them; absent for all sections and the start answers
 * @returns without score when only some sections were checked
 */
export const assessAnswers = async (
  caller: Caller,
  inspection: StoredInspection,
  sectionIds?: readonly string[],
): Promise<{ blockers: InspectionBlocker[]; scored: Scored }> => {
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
      : missingStart(evaluation).map(({ key, label, required_message }): InspectionBlocker => ({
          code: 'required',
          section_id: null,
          field_id: key,
          path: '',
          message: blockerText(shown(label), 'required', required_message && shown(required_message)),
        }))),
    ...fields.map(({ label, field_id, instance_path: path, reason: code, message }): InspectionBlocker => ({
      code,
      section_id: index.fields.get(field_id)!.section.id,
      field_id,
      path,
      message: blockerText(path ? `${label} at ${path}` : label, code, message),
    })),
  ];
  return { blockers, scored: own ? { score: null } : await scoredNow(caller, inspection, evaluation) };
};
