import { ApiError } from '../../../base/api-error.ts';
import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { MalformedRow } from '../../../base/problem.ts';
import type { ContentIndex } from '../../../domain/content/content-index.ts';
import { formOrder } from '../../../domain/content/form-order.ts';
import { acceptsAnswers } from '../../../domain/inspections/workflow.ts';
import type { AnswerResult, BatchedAnswer } from '../../../schemas/inspections/answer.ts';
import { inspectionRecords } from '../../inspection-core/inspection-record.ts';
import { change } from '../../table/change.ts';
import { contentOf } from '../../templates/content.ts';
import { noNumbers } from '../batch/consequences.ts';
import { LoadedRows } from '../batch/loaded-rows.ts';
import { decideAnswers, type Outcome } from './decide.ts';
import { mutationsOf } from './repeated.ts';
import { readSent, type SentAnswer } from './sent-answer.ts';

const statusOf = (outcome: Outcome): AnswerResult['status'] => {
  if ('error' in outcome) return outcome.error.status === 409 ? 'conflict' : 'invalid';
  return outcome.isSaved ? 'saved' : 'unchanged';
};

/**
 * The positions of answers in the order of the form, so that findings are numbered in it. Several answers to one field
 * keep their order, and those without a place in the form come last.
 */
const orderInForm = (index: ContentIndex, answers: readonly (SentAnswer | ApiError)[]): number[] => {
  const compare = formOrder(index);
  const placed = (position: number) => {
    const answer = answers[position]!;
    return answer instanceof ApiError || !answer.instance
      ? undefined
      : { place: answer.place, instance_path: answer.instance.instance_path };
  };
  return [...answers.keys()].toSorted((a, b) => {
    const [one, other] = [placed(a), placed(b)];
    return one && other ? compare(one, other) : Number(!one) - Number(!other);
  });
};

/**
 * Saves those of many answers that can be saved, in as many transactions as they need.
 * @returns what became of each answer, in their order
 * @throws ApiError 404; 409 for an inspection that is locked from the start
 */
export const replaceAll = async (
  caller: Caller,
  inspectionId: string,
  sent: readonly (BatchedAnswer | MalformedRow)[],
): Promise<AnswerResult[]> => {
  const inspection = await inspectionRecords.get(caller, inspectionId);
  if (!acceptsAnswers(inspection)) throw errors.inspectionLocked(inspection.status);
  const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
  const read = sent.map((answer) =>
    answer instanceof MalformedRow
      ? errors.validationFailed(answer.problems)
      : readSent(caller, inspectionId, index, answer),
  );
  const order = orderInForm(index, read);
  const answers = order.map((position) => read[position]!);
  const request = { inspectionId, index, answers, mutations: mutationsOf(answers) };
  const outcomes: Outcome[] = [];
  while (outcomes.length < answers.length) {
    const taken = noNumbers();
    const decided = await change(caller, (work) =>
      decideAnswers(work, request, outcomes.length, new LoadedRows(work), taken),
    );
    outcomes.push(...decided);
  }
  const results = outcomes.map((outcome, position) => ({
    index: order[position]!,
    status: statusOf(outcome),
    ...(outcome.record && { response: outcome.record }),
    ...('error' in outcome && { detail: outcome.error.detail }),
  }));
  return results.toSorted((a, b) => a.index - b.index);
};
