import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { acceptsAnswers } from '../../../domain/inspections/workflow.ts';
import type { AnswerResult, BatchedAnswer } from '../../../schemas/inspections/answer.ts';
import { inspectionRecords } from '../../inspection-core/record.ts';
import { change } from '../../table/change.ts';
import { contentOf } from '../../templates/content.ts';
import { noNumbers } from '../batch/consequences.ts';
import { LoadedRows } from '../batch/loaded-rows.ts';
import { decideAnswers, type Outcome } from './decide.ts';
import { mutationsOf } from './repeated.ts';
import { readSent } from './sent-answer.ts';

const statusOf = (outcome: Outcome): AnswerResult['status'] => {
  if ('error' in outcome) return outcome.error.status === 409 ? 'conflict' : 'invalid';
  return outcome.isSaved ? 'saved' : 'unchanged';
};

/**
 * Saves those of many answers that can be saved, in as many transactions as they need.
 * @returns what became of each answer, in their order
 * @throws ApiError 404; 409 for an inspection that is locked from the start
 */
export const replaceAll = async (
  caller: Caller,
  inspectionId: string,
  sent: readonly BatchedAnswer[],
): Promise<AnswerResult[]> => {
  const inspection = await inspectionRecords.get(caller, inspectionId);
  if (!acceptsAnswers(inspection)) throw errors.inspectionLocked(inspection.status);
  const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
  const answers = sent.map((answer) => readSent(caller, inspectionId, index, answer));
  const request = { caller, inspectionId, index, answers, mutations: mutationsOf(answers) };
  const outcomes: Outcome[] = [];
  while (outcomes.length < answers.length) {
    const taken = noNumbers();
    const decided = await change(caller, () =>
      decideAnswers(request, outcomes.length, new LoadedRows(caller), taken),
    );
    outcomes.push(...decided);
  }
  return outcomes.map((outcome, position) => ({
    index: position,
    status: statusOf(outcome),
    ...(outcome.record && { response: outcome.record }),
    ...('error' in outcome && { detail: outcome.error.detail }),
  }));
};
