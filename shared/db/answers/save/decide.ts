import { ApiError } from '../../../base/api-error.ts';
import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { Evaluation, KnownAnswer } from '../../../domain/content/conditions/evaluate.ts';
import type { ContentIndex } from '../../../domain/content/content-index.ts';
import { pathsBelow } from '../../../domain/content/instances.ts';
import { withAnswers } from '../../../domain/content/piping.ts';
import { referencesIn } from '../../../domain/content/text-references.ts';
import { isJudged, judgeAnswer } from '../../../domain/content/validity.ts';
import type { AnswerRecord } from '../../../schemas/inspections/answer.ts';
import { audienceKey } from '../../notifications/notify.ts';
import { type Decision, MAX_TRANSACTION_WRITES, type Work } from '../../table/change.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities.ts';
import { AnswerBatch, MAX_RECORDS } from '../batch/answer-batch.ts';
import {
  createsFinding,
  earlierFindingKeys,
  findingKeys,
  mayMatter,
  type TakenNumbers,
} from '../batch/consequences.ts';
import { inspectionIn, inspectionKeys } from '../batch/inspection-rows.ts';
import type { LoadedRows } from '../batch/loaded-rows.ts';
import { toRecord } from '../record.ts';
import { type Mutations, repeatedAnswers } from './repeated.ts';
import { type Judge, saveInto, type SentAnswer } from './sent-answer.ts';

/** Documents that one answer can begin or cease to show: six writes are for other rows. */
const MAX_EXCHANGED_DOCUMENTS = MAX_TRANSACTION_WRITES - 6;

/** What became of one answer, and its record as it is then. */
export type Outcome<Record = AnswerRecord> = { record?: Record | undefined } & (
  | { isSaved: boolean }
  | { error: ApiError }
);

/** The answers of one request. */
export interface Request {
  inspectionId: string;
  index: ContentIndex;
  answers: readonly (SentAnswer | ApiError)[];
  mutations: Mutations;
}

const tooManyDocuments = (): ApiError =>
  errors.validationFailed([
    {
      loc: ['body', 'value'],
      type: 'value_error',
      msg: `Value error, exchanges more documents than one save can, which is ${MAX_EXCHANGED_DOCUMENTS}`,
    },
  ]);

/**
 * Loads what the decision on these answers reads, in at most two calls for 100 rows each.
 * @throws ApiError 404
 */
const loadRows = async (
  caller: Caller,
  { inspectionId, index }: Request,
  answers: readonly (SentAnswer | ApiError)[],
  rows: LoadedRows,
): Promise<StoredInspection> => {
  const valid = answers.filter((answer) => 'sent' in answer);
  await rows.load([...inspectionKeys(caller, inspectionId), ...valid.flatMap(({ key }) => key ?? [])]);
  const inspection = inspectionIn(caller, rows, inspectionId);
  await rows.load(
    valid.flatMap(({ key, place, entry, references }) => {
      const row = key && rows.get(key);
      const matters = entry !== undefined && mayMatter(index, place, row, entry);
      return [
        ...references.map((reference) => reference.key),
        ...(matters ? findingKeys(caller, inspectionId, row?.finding_id ?? null) : []),
        ...(matters ? earlierFindingKeys(caller, row) : []),
        ...(matters && createsFinding(place) ? [audienceKey(caller, inspection.template_family_id)] : []),
      ];
    }),
  );
  return inspection;
};

/**
 * Judges answers beside the stored ones and all others of the request: it may answer a field before the one with which
 * that is compared. The evaluation is made once, and only for a request that needs it.
 */
const judgeOf = ({ now }: Work, batch: AnswerBatch, { index, answers }: Request): Judge => {
  const savedAt = Date.parse(now);
  let evaluation: Evaluation | undefined;
  const sent = (): KnownAnswer[] =>
    answers.flatMap((answer) =>
      'sent' in answer && answer.instance && answer.entry
        ? [{ field_id: answer.sent.field_id, ...answer.instance, ...answer.entry }]
        : [],
    );
  const evaluated = () => (evaluation ??= batch.evaluationWith(sent()));
  const worded: Judge['worded'] = ({ place: { repeats }, instance, problems }) =>
    problems.map((problem) =>
      referencesIn(problem.msg).length === 0
        ? problem
        : {
            ...problem,
            msg: withAnswers(evaluated(), problem.msg, { repeats, path: instance?.instance_path ?? '' }),
          },
    );
  return {
    worded,
    isRequired: (place, instance_path) => {
      const { instances, standingOf } = batch.evaluation();
      const isThere = pathsBelow(instances, place.repeats, instance_path).includes(instance_path);
      return isThere && standingOf(place, instance_path) === 'required';
    },
    problemsOf: (place, instance_path, entry) => {
      if (!isJudged(index, place)) return [];
      const problems = judgeAnswer(evaluated(), place, instance_path, entry, savedAt);
      return worded({ place, instance: { instance_path, instance_index: 0 }, problems });
    },
  };
};

/**
 * Adds one answer to the batch.
 * @returns undefined when the answer has to wait for the next transaction
 */
const addAnswer = (
  work: Work,
  inspection: StoredInspection,
  rows: LoadedRows,
  batch: AnswerBatch,
  judge: Judge,
  answer: SentAnswer,
  record: StoredAnswer | undefined,
): Outcome<StoredAnswer> | undefined => {
  const saved = saveInto(work, inspection, rows, answer, record, judge);
  if (saved instanceof ApiError) return { error: saved, record };
  const { key, instance, after } = saved;
  if (!after) return { isSaved: false, record };
  const { instance_path } = instance;
  const transition = batch.transitionOf({ key, place: answer.place, instance_path, after });
  if (!batch.fits(transition)) return batch.isEmpty ? { error: tooManyDocuments(), record } : undefined;
  batch.add(transition);
  return { isSaved: after.version !== record?.version, record: after };
};

/**
 * Decides as many answers as one transaction can save, from a position on. Several answers to one field are applied in
 * their order, and each gives the record a version of its own.
 * @param rows nothing, or rows that were read in this attempt
 * @param taken numbers of an earlier attempt at the same transaction
 * @returns an outcome for each answer that was decided; what is wrong with an answer is its outcome
 * @throws ApiError 404
 */
export const decideAnswers = async (
  work: Work,
  request: Request,
  from: number,
  rows: LoadedRows,
  taken: TakenNumbers,
): Promise<Decision<Outcome[]>> => {
  const { index, mutations } = request;
  const answers = request.answers.slice(from, from + MAX_RECORDS);
  const inspection = await loadRows(work, request, answers, rows);
  const batch = await AnswerBatch.begin(work, inspection, index, rows);
  const judge = judgeOf(work, batch, request);
  const isRepeated = repeatedAnswers(mutations, from, rows);
  const outcomes: Outcome<StoredAnswer>[] = [];
  for (const [position, answer] of answers.entries()) {
    if (answer instanceof ApiError) {
      outcomes.push({ error: answer });
      continue;
    }
    const record = answer.key && batch.recordOf(answer.key);
    const outcome = isRepeated(answer, from + position, record)
      ? { isSaved: false, record }
      : addAnswer(work, inspection, rows, batch, judge, answer, record);
    if (!outcome) break;
    outcomes.push(outcome);
  }
  const evaluation = batch.evaluation();
  const reply = outcomes.map(({ record, ...outcome }): Outcome => ({
    ...outcome,
    record: record && toRecord(evaluation, record),
  }));
  return { writes: await batch.writes(taken), reply };
};
