import type { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import type { ContentIndex } from '../../domain/content/content-index.ts';
import { instanceWithin, isWithin } from '../../domain/content/instance-paths.ts';
import { nextIndex, type Repeat, repeatAt, repeatWithin } from '../../domain/content/repeats.ts';
import { Instance, type NewAnswer, type NewInstance } from '../../schemas/inspections/answer.ts';
import { present } from '../../schemas/projection.ts';
import {
  change,
  type Decision,
  MAX_TRANSACTION_WRITES,
  takeWhatFits,
  type Work,
} from '../../table/change.ts';
import type { StoredAnswer } from '../../table/entities/inspections.ts';
import { type Key, keys, type Range } from '../../table/keys.ts';
import { queryRows } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import { expectAnswerable } from '../rows/acting.ts';
import { answerStateTouch } from '../rows/answer-records.ts';
import { inspectionRecords } from '../rows/inspection-records.ts';
import { stillAcceptsAnswers } from '../rows/revisions.ts';
import { AnswerBatch, MAX_RECORDS, type RecordChange } from './answer-batch.ts';
import { findingKeys } from './consequences.ts';
import { inspectionIn, inspectionKeys, LoadedRows } from './loaded-rows.ts';
import { settleHidden } from './settle-hidden.ts';

/**
 * The paths of all records and reservations. Cleared and prefilled records count as well. Calls: two Queries, and one
 * more for each megabyte of answers.
 */
const usedPaths = async (caller: Caller, inspectionId: string): Promise<string[]> => {
  const pathsOf = (part: 'ANSWER' | 'INSTANCE') =>
    Array.fromAsync(
      queryRows<Pick<Instance, 'instance_path'>>(caller, {
        ...keys.parts(caller, 'INSPECTION', inspectionId, part),
        only: ['instance_path'],
      }),
      ({ instance_path }) => instance_path,
    );
  return (await Promise.all([pathsOf('ANSWER'), pathsOf('INSTANCE')])).flat();
};

/**
 * The next free instance of a repeat section.
 * @param used the paths of the instances that there are
 * @throws ApiError 409 for a section that has no free index
 */
export const nextInstance = (
  work: Work,
  repeat: Repeat,
  given: NewInstance,
  used: readonly string[],
): Instance => {
  const { section, outer } = repeat;
  const instance_index = nextIndex(repeat, used);
  if (instance_index === undefined) throw errors.tooManyInstances(section.title, section.repeat.max);
  return {
    ...given,
    instance_index,
    instance_path: instanceWithin(outer, section.id, instance_index),
    created_by: work.user_id,
    created_at: work.now,
  };
};

/**
 * Reserves the next free index of a repeat section for a client. The instance exists when something in it is answered.
 * Each save of an answer and each reservation writes the state of the answers, so that no two of them take one index.
 * @returns the instance, and whether it is new: a client gets the same one for the same id
 * @throws ApiError 404; 400 for a section that the content does not have; 409 for a locked inspection, a section that
 * has no free index, or an id that belongs to another section; 422 for a section that does not repeat, or a path that
 * does not lead to it
 */
export const createInstance = async (
  caller: Caller,
  inspectionId: string,
  { section_id, parent_path, client_instance_id }: NewInstance,
): Promise<{ instance: Instance; isNew: boolean }> => {
  let isNew = false;
  const instance = await change(caller, async (work) => {
    const key = keys.instance(work, inspectionId, client_instance_id);
    const rows = new LoadedRows(work);
    await rows.load([...inspectionKeys(work, inspectionId), key]);
    const inspection = inspectionIn(work, rows, inspectionId);
    const stored = rows.get(key);
    isNew = !stored;
    if (stored) {
      const isSame = stored.section_id === section_id && stored.parent_path === parent_path;
      if (!isSame) throw errors.instanceIdUsed(stored.instance_path);
      return { writes: [], reply: present(Instance, stored) };
    }
    const index = await contentOf(work, inspection.template_id, inspection.content_hash);
    const place = index.sections.get(section_id);
    if (!place) throw errors.notInTemplate('section_id is not a section of this inspection');
    expectAnswerable(work, inspection);
    if (inspection.reinspection_scope === 'failed') throw errors.notAskedAgain();
    const repeat = repeatWithin(place, parent_path);
    if (Array.isArray(repeat)) throw errors.validationFailed(repeat);
    const given = { section_id, parent_path, client_instance_id };
    const reserved = nextInstance(work, repeat, given, await usedPaths(work, inspectionId));
    const state = rows.get(keys.answerState(work, inspectionId));
    return {
      writes: [
        write.create({ ...key, ...reserved }),
        answerStateTouch(work, inspectionId, index, state),
        write.check(
          inspectionRecords.key(work, inspectionId),
          () => 'stale',
          stillAcceptsAnswers(inspection),
        ),
      ],
      reply: reserved,
    };
  });
  return { instance, isNew };
};

/** An answer of a request, and the instance that it names by the client's own id. */
type Named = Pick<NewAnswer, 'section_id' | 'instance_index' | 'instance_path'> &
  Partial<Pick<NewAnswer, 'client_instance_id' | 'parent_path'>>;

const misplaced = (name: string, msg: string): ApiError =>
  errors.validationFailed([{ loc: ['body', name], type: 'value_error', msg: `Value error, ${msg}` }]);

/**
 * An answer with the path of the instance that it names by the client's own id. The index is reserved, if it is not yet.
 * No call for an answer that names none.
 * @throws ApiError as `createInstance`; 422 for an answer that names an instance in two ways
 */
export const inNamedInstance = async <Sent extends Named>(
  caller: Caller,
  inspectionId: string,
  index: ContentIndex,
  answer: Sent,
): Promise<Sent> => {
  const { section_id, client_instance_id, parent_path, instance_path, instance_index } = answer;
  if (client_instance_id === undefined) {
    if (parent_path !== undefined) throw misplaced('parent_path', 'needs a client_instance_id');
    return answer;
  }
  if (instance_path !== undefined || instance_index !== undefined) {
    throw misplaced('client_instance_id', 'stands in place of instance_path and instance_index');
  }
  const place = index.sections.get(section_id);
  if (!place) throw errors.notInTemplate('section_id is not a section of this inspection');
  const repeat = place.repeats.at(-1);
  if (!repeat) throw misplaced('client_instance_id', 'the section is in no repeat section');
  const { instance } = await createInstance(caller, inspectionId, {
    section_id: repeat.id,
    parent_path: parent_path ?? '',
    client_instance_id,
  });
  return { ...answer, instance_path: instance.instance_path };
};

/** The repeat section that a path names an instance of. @throws ApiError 422 */
const expectRepeatAt = (index: ContentIndex, path: string): Repeat => {
  const repeat = repeatAt(index, path);
  if (repeat) return repeat;
  throw errors.validationFailed([
    {
      loc: ['query', 'instance_path'],
      type: 'value_error',
      msg: 'Value error, the path names no instance of a repeat section of this inspection',
      input: path,
    },
  ]);
};

/** The keys of all records or reservations in an instance, and in the instances within it. */
const keysWithin = async <Below extends { instance_path: string }>(
  caller: Caller,
  range: Range<Below>,
  path: string,
): Promise<Key<Below>[]> => {
  const found: Key<Below>[] = [];
  for await (const row of queryRows(caller, range)) {
    if (isWithin(row.instance_path, path)) found.push(write.keyOf(row));
  }
  return found;
};

/** @throws ApiError 409 when the section of the instance needs all its instances */
const expectRemovable = (batch: AnswerBatch, { section, outer }: Repeat): void => {
  const instances = batch.storedInstances().of(section, outer).length;
  const { min } = section.repeat;
  if (instances <= min) throw errors.tooFewInstances(section.title, instances, min);
};

/** Deletes as many of these records as one transaction can. The reply is how many of them are done. */
const decideRemoval = async (
  batch: AnswerBatch,
  index: ContentIndex,
  rows: LoadedRows,
  records: readonly Key<StoredAnswer>[],
): Promise<Decision<number>> => {
  const changes = records.map((key): RecordChange | undefined => {
    const row = rows.get(key);
    if (!row) return undefined;
    const { field_id, instance_path } = row;
    return batch.changeOf({ key, place: index.fields.get(field_id)!, instance_path, after: undefined });
  });
  const { taken } = takeWhatFits(
    changes,
    (each) => !each || batch.fits(each),
    (each) => each && batch.add(each),
  );
  return { writes: await batch.writes(), reply: taken };
};

/**
 * Deletes an instance of a repeat section with all answers in it. The instances after it keep their indexes, and
 * its own index is no longer reserved.
 * @throws ApiError 404 for an inspection or an instance that does not exist; 409 for a locked inspection, or when the
 * section has no more instances than it needs; 422 for a path that the content does not have
 */
export const removeInstance = async (caller: Caller, inspectionId: string, path: string): Promise<void> => {
  const { template_id, content_hash } = await inspectionRecords.get(caller, inspectionId);
  const index = await contentOf(caller, template_id, content_hash);
  const repeat = expectRepeatAt(index, path);
  const [records, reserved] = await Promise.all([
    keysWithin(caller, keys.parts(caller, 'INSPECTION', inspectionId, 'ANSWER'), path),
    keysWithin(caller, keys.parts(caller, 'INSPECTION', inspectionId, 'INSTANCE'), path),
  ]);
  let removed = 0;
  let isSettled = true;
  do {
    removed += await change(caller, async (work) => {
      const rows = new LoadedRows(work);
      const next = records.slice(removed, removed + MAX_RECORDS);
      await rows.load([...inspectionKeys(work, inspectionId), ...next]);
      const inspection = inspectionIn(work, rows, inspectionId);
      expectAnswerable(work, inspection);
      if (records.length === 0 && reserved.length === 0) throw errors.notFound('instance');
      if (inspection.reinspection_scope === 'failed') throw errors.notAskedAgain();
      const batch = await AnswerBatch.begin(work, inspection, index, rows);
      if (removed === 0 && records.length > 0) expectRemovable(batch, repeat);
      await rows.load(
        next.flatMap((key) => findingKeys(work, inspectionId, rows.get(key)?.finding_id ?? null)),
      );
      const decision = await decideRemoval(batch, index, rows, next);
      isSettled = batch.isWhole;
      return decision;
    });
    if (!isSettled) await settleHidden(caller, inspectionId);
  } while (removed < records.length);
  for (let released = 0; released < reserved.length; released += MAX_TRANSACTION_WRITES) {
    const some = reserved.slice(released, released + MAX_TRANSACTION_WRITES);
    await change(caller, () => ({ writes: some.map((key) => write.drop(key)), reply: undefined }));
  }
};
