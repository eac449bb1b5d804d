import { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { MalformedRow } from '../../base/problem.ts';
import { type ContentIndex, resolveInstance } from '../../domain/content/content-index.ts';
import { formOrder } from '../../domain/content/form-order.ts';
import { instanceWithin } from '../../domain/content/instance-paths.ts';
import type {
  AnswerChanges,
  AnswerRecord,
  AnswerResult,
  BatchedAnswer,
  Confirmation,
  NewAnswer,
} from '../../schemas/inspections/answer.ts';
import { change } from '../../table/change.ts';
import type { StoredAnswer } from '../../table/entities/inspections.ts';
import { type Key, keys } from '../../table/keys.ts';
import { queryRows } from '../../table/rows.ts';
import { contentOf } from '../../templates/content.ts';
import { expectAnswerable } from '../rows/acting.ts';
import { inspectionRecords, placeOf } from '../rows/inspection-records.ts';
import { noNumbers } from './consequences.ts';
import { type AnswerOutcome, decideAnswers, mutationsOf, readSent, type SentAnswer } from './decide.ts';
import { inNamedInstance } from './instances.ts';
import { inspectionIn, inspectionKeys, LoadedRows } from './loaded-rows.ts';
import { settleHidden } from './settle-hidden.ts';

/** The position of an answer. */
type AnswerPosition = Pick<NewAnswer, 'section_id' | 'field_id' | 'instance_index' | 'instance_path'>;

/**
 * The records that an answer may belong to. Only the content tells which one it is. Reading them together with the
 * inspection saves a call.
 */
const probableKeys = (
  caller: Caller,
  inspectionId: string,
  { section_id, field_id, instance_index = 0, instance_path }: AnswerPosition,
): Key[] => {
  const paths = instance_path
    ? [instance_path.toLowerCase()]
    : ['', instanceWithin('', section_id, instance_index)];
  return paths.map((path) => keys.answer(caller, inspectionId, field_id, path));
};

/** The key of the record; undefined when the field has no such instance. @throws ApiError 400 */
const recordKey = (
  caller: Caller,
  inspectionId: string,
  index: ContentIndex,
  { section_id, field_id, instance_index, instance_path }: AnswerPosition,
): Key<StoredAnswer> | undefined => {
  placeOf(index, field_id, section_id);
  const instance = resolveInstance(index, field_id, instance_index, instance_path);
  return Array.isArray(instance)
    ? undefined
    : keys.answer(caller, inspectionId, field_id, instance.instance_path);
};

/**
 * Saves an answer. It is decided on the stored record, and decided again when another writer was faster.
 * @param answerOf makes the complete answer, from the content and the stored rows
 */
const saveOne = async (
  caller: Caller,
  inspectionId: string,
  position: AnswerPosition,
  expectedVersion: number | undefined,
  answerOf: (index: ContentIndex, rows: LoadedRows) => Promise<NewAnswer> | NewAnswer,
): Promise<AnswerRecord> => {
  const taken = noNumbers();
  let isSettled = true;
  const saved = await change(caller, async (work) => {
    const rows = new LoadedRows(work);
    await rows.load([...inspectionKeys(work, inspectionId), ...probableKeys(work, inspectionId, position)]);
    const { template_id, content_hash } = inspectionIn(work, rows, inspectionId);
    const index = await contentOf(work, template_id, content_hash);
    const answer = await answerOf(index, rows);
    const answers = [readSent(work, inspectionId, index, { ...answer, expected_version: expectedVersion })];
    const request = { inspectionId, index, answers, mutations: mutationsOf(answers) };
    const { writes, reply, isWhole } = await decideAnswers(work, request, 0, rows, taken);
    const [outcome] = reply;
    if ('error' in outcome!) throw outcome.error;
    isSettled = isWhole;
    return { writes, reply: outcome!.record! };
  });
  if (!isSettled) await settleHidden(caller, inspectionId);
  return saved;
};

/** An answer with the path of the instance that it names by the client's own id. @throws ApiError as `inNamedInstance` */
const placedAnswer = async (caller: Caller, inspectionId: string, answer: NewAnswer): Promise<NewAnswer> => {
  if (answer.client_instance_id === undefined && answer.parent_path === undefined) return answer;
  const { template_id, content_hash } = await inspectionRecords.get(caller, inspectionId);
  return inNamedInstance(caller, inspectionId, await contentOf(caller, template_id, content_hash), answer);
};

/**
 * Saves the answer to one field, in one instance.
 * @throws ApiError 404; 400 for a field or a reference that does not exist; 409 for a locked inspection or another
 * version; 422 for a value that the field does not take
 */
export const replace = async (
  caller: Caller,
  inspectionId: string,
  answer: NewAnswer,
  expectedVersion?: number,
): Promise<AnswerRecord> => {
  const placed = await placedAnswer(caller, inspectionId, answer);
  return saveOne(caller, inspectionId, placed, expectedVersion, () => placed);
};

/** The fields of an answer that can change. */
const CHANGES = ['value', 'note', 'is_na', 'media', 'client_answered_at'] as const;

const EMPTY = { value: null, note: '', is_na: false, media: [] };

/** The stored answer with changes, as a complete answer. */
const withChanges = (current: StoredAnswer | undefined, changes: AnswerChanges): NewAnswer => {
  const { value, note, is_na, media, client_answered_at } = changes;
  const stored = current ?? EMPTY;
  const isOfNote = value === undefined && is_na === undefined && media === undefined;
  return {
    ...changes,
    // A value and `is_na` exclude each other: to set one clears the other.
    value: value !== undefined ? value : is_na ? null : stored.value,
    is_na: is_na ?? (value === undefined && stored.is_na),
    note: note ?? stored.note,
    media: media ?? stored.media,
    client_answered_at:
      client_answered_at === undefined && isOfNote ? current?.client_answered_at : client_answered_at,
  };
};

/**
 * Changes the fields of an answer that are sent. The resulting answer is saved as by `replace`.
 * @throws ApiError as `replace`; 404 also when nothing is sent and there is no answer
 */
export const update = (
  caller: Caller,
  inspectionId: string,
  changes: AnswerChanges,
  expectedVersion?: number,
): Promise<AnswerRecord> =>
  saveOne(caller, inspectionId, changes, expectedVersion, async (index, rows) => {
    const key = recordKey(caller, inspectionId, index, changes);
    if (!key) return withChanges(undefined, changes);
    await rows.load([key]);
    const current = rows.get(key);
    if (!current && !CHANGES.some((name) => changes[name] !== undefined)) throw errors.notFound('answer');
    return withChanges(current, changes);
  });

/** The result of a promise, or the ApiError with which it ends, unless that is an outage. */
const triedLater = async <Result>(promise: Promise<Result>): Promise<Result | ApiError> => {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error;
    throw error;
  }
};

const statusOf = (outcome: AnswerOutcome): AnswerResult['status'] => {
  if ('error' in outcome) return outcome.error.status === 409 ? 'conflict' : 'invalid';
  if (outcome.isLate) return 'superseded';
  return outcome.isSaved ? 'saved' : 'unchanged';
};

/**
 * The positions of answers in the order of the form, so that findings are numbered in it. Several answers to one field
 * keep their order, and answers that are not in the form come last.
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
 * Saves all answers that can be saved, in as many transactions as they need.
 * @returns the result of each answer, in their order
 * @throws ApiError 404; 409 for an inspection that is locked from the start
 */
export const replaceAll = async (
  caller: Caller,
  inspectionId: string,
  sent: readonly (BatchedAnswer | MalformedRow)[],
): Promise<AnswerResult[]> => {
  const inspection = await inspectionRecords.get(caller, inspectionId);
  expectAnswerable(caller, inspection);
  const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
  const read: (SentAnswer | ApiError)[] = [];
  // One after the other, so that the instances of a request get their indexes in its order.
  for (const answer of sent) {
    const placed =
      answer instanceof MalformedRow
        ? errors.validationFailed(answer.problems)
        : await triedLater(inNamedInstance(caller, inspectionId, index, answer));
    read.push(placed instanceof ApiError ? placed : readSent(caller, inspectionId, index, placed));
  }
  const order = orderInForm(index, read);
  const answers = order.map((position) => read[position]!);
  const request = { inspectionId, index, answers, mutations: mutationsOf(answers) };
  const outcomes: AnswerOutcome[] = [];
  while (outcomes.length < answers.length) {
    const taken = noNumbers();
    let isSettled = true;
    const decided = await change(caller, async (work) => {
      const decision = await decideAnswers(work, request, outcomes.length, new LoadedRows(work), taken);
      isSettled = decision.isWhole;
      return decision;
    });
    if (!isSettled) await settleHidden(caller, inspectionId);
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

/**
 * Confirms prefilled answers: each is saved as it is. Answers that were confirmed before an interruption are no longer
 * prefilled, so the same request completes the rest.
 * @returns the result of each answer, in the order of the form
 * @throws ApiError 404; 409 for a locked inspection
 */
export const confirm = async (
  caller: Caller,
  inspectionId: string,
  { section_id, field_ids, client_answered_at }: Confirmation,
): Promise<AnswerResult[]> => {
  const inspection = await inspectionRecords.get(caller, inspectionId);
  expectAnswerable(caller, inspection);
  const index = await contentOf(caller, inspection.template_id, inspection.content_hash);
  const compare = formOrder(index);
  const prefilled = await Array.fromAsync(
    queryRows(caller, {
      ...keys.parts(caller, 'INSPECTION', inspectionId, 'ANSWER'),
      where: { is_prefilled: [true], section_id: section_id === undefined ? undefined : [section_id] },
    }),
  );
  const wanted = field_ids && new Set(field_ids);
  const placed = prefilled
    .filter(({ field_id }) => !wanted || wanted.has(field_id))
    .map((record) => ({ ...record, place: index.fields.get(record.field_id)! }))
    .toSorted(compare);
  return replaceAll(
    caller,
    inspectionId,
    placed.map(({ section_id: section, field_id, instance_path, value, note, is_na, version }) => ({
      section_id: section,
      field_id,
      instance_path,
      value,
      note,
      is_na,
      media: [],
      client_answered_at,
      expected_version: version,
    })),
  );
};
