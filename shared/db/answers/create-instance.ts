import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { instanceWithin } from '../../domain/content/instance-paths.ts';
import { nextIndex, repeatWithin } from '../../domain/content/repeats.ts';
import { acceptsAnswers } from '../../domain/inspections/workflow.ts';
import { Instance, type NewInstance } from '../../schemas/inspections/answer.ts';
import { present } from '../../schemas/projection.ts';
import { answerStateTouch } from '../inspection-core/answer-state.ts';
import { inspectionRecords } from '../inspection-core/record.ts';
import { stillAcceptsAnswers } from '../inspection-core/revisions.ts';
import { change } from '../table/change.ts';
import { keys } from '../table/keys.ts';
import { queryRows } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { contentOf } from '../templates/content.ts';
import { inspectionIn, inspectionKeys } from './batch/inspection-rows.ts';
import { LoadedRows } from './batch/loaded-rows.ts';

/**
 * The paths of all records and reservations. A cleared or prefilled record has its index as well. Calls: two Queries,
 * and one more for each megabyte of answers.
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
 * Reserves the next free index of a repeat section for a client. The instance exists once something in it is answered.
 * Each save of an answer and each reservation write the state of the answers, so that no two of them take one index.
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
    if (!acceptsAnswers(inspection)) throw errors.inspectionLocked(inspection.status);
    if (inspection.reinspection_scope === 'failed') throw errors.notAskedAgain();
    const repeat = repeatWithin(place, parent_path);
    if (Array.isArray(repeat)) throw errors.validationFailed(repeat);
    const { section, outer } = repeat;
    const instance_index = nextIndex(repeat, await usedPaths(work, inspectionId));
    if (instance_index === undefined) throw errors.tooManyInstances(section.title, section.repeat.max);
    const reserved: Instance = {
      section_id,
      parent_path,
      client_instance_id,
      instance_index,
      instance_path: instanceWithin(outer, section.id, instance_index),
      created_by: work.user_id,
      created_at: work.now,
    };
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
