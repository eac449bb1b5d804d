import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { own } from '../base/fields.ts';
import { hangsOnStart } from '../domain/content/conditions/dependencies.ts';
import { evaluate } from '../domain/content/conditions/evaluate.ts';
import type { ContentIndex } from '../domain/content/content-index.ts';
import { progressOf } from '../domain/content/progress.ts';
import { answerStart } from '../domain/content/start.ts';
import { references } from '../domain/content/values/references.ts';
import type { InspectionChanges } from '../schemas/inspections/inspection.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import { answerReferences, resolve } from '../table/references.ts';
import { getRow } from '../table/rows.ts';
import type { Write } from '../table/writes.ts';
import { contentOf } from '../templates/content.ts';
import { turnedQuestions } from './answers/hidden-questions.ts';
import { answerStateKey, answerStateTouch, knownAnswers } from './rows/answer-records.ts';

/** The new start answers of an inspection, and its new progress. */
interface StartChange {
  fields: Partial<StoredInspection>;
  writes: Write[];
  /** Whether it hides or shows answered questions whose findings depend on that (`settleHidden`). */
  isTurning: boolean;
}

/**
 * The change to these start answers. It includes the progress when questions depend on start answers.
 * @param current the start answers until now
 * @param inspectionId the id of an inspection that may have answers; absent for a new one
 */
export const changeStartAnswers = async (
  caller: Caller,
  index: ContentIndex,
  start_answers: StoredInspection['start_answers'],
  { start_answers: current }: Pick<StoredInspection, 'start_answers'>,
  inspectionId?: string,
): Promise<StartChange> => {
  if (!hangsOnStart(index) || isDeepStrictEqual(start_answers, current)) {
    return { fields: { start_answers }, writes: [], isTurning: false };
  }
  if (inspectionId === undefined) {
    const progress = progressOf(evaluate(index, [], start_answers));
    return { fields: { start_answers, ...progress }, writes: [], isTurning: false };
  }
  const state = await getRow(caller, answerStateKey(caller, inspectionId));
  const known = await knownAnswers(caller, inspectionId, index, state);
  const [before, after] = [current, start_answers].map((start) => evaluate(index, known.values(), start));
  return {
    fields: { start_answers, ...progressOf(after!) },
    isTurning: turnedQuestions(before!, after!, known.values()).length > 0,
    // A save that was decided on the former start answers is decided again.
    writes: [answerStateTouch(caller, inspectionId, index, state)],
  };
};

/**
 * The change of the start answers by those of a request. It includes the progress when questions depend on start
 * answers. The template's content is read only when the request has start answers.
 * @param inspectionId the id of an inspection that may have answers; absent for a new one
 * @throws ApiError 422 for an answer that the template does not accept; 400 for one that names a missing resource
 */
export const answerStartQuestions = async (
  caller: Caller,
  { start_answers: sent = {} }: Pick<InspectionChanges, 'start_answers'>,
  {
    template_id,
    content_hash,
    start_answers: current,
  }: Pick<StoredInspection, 'template_id' | 'content_hash' | 'start_answers'>,
  inspectionId?: string,
): Promise<StartChange> => {
  if (Object.keys(sent).length === 0)
    return { fields: { start_answers: current }, writes: [], isTurning: false };
  const index = await contentOf(caller, template_id, content_hash);
  const start_answers = answerStart(index, current, sent);
  if (Array.isArray(start_answers)) throw errors.validationFailed(start_answers);
  const named = Object.keys(sent).flatMap((key) =>
    answerReferences(
      caller,
      `start_answers.${key}`,
      references(index.startFields.get(key)!, own(start_answers, key)),
    ),
  );
  if (named.length > 0) await resolve(caller, named);
  return changeStartAnswers(caller, index, start_answers, { start_answers: current }, inspectionId);
};
