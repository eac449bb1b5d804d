import type { Caller } from '../../../base/caller.ts';
import { instanceWithin } from '../../../domain/content/instance-paths.ts';
import type { AnswerRecord, NewAnswer } from '../../../schemas/inspections/answer.ts';
import { change } from '../../table/change.ts';
import { type Key, keys } from '../../table/keys.ts';
import { contentOf } from '../../templates/content.ts';
import { noNumbers } from '../batch/consequences.ts';
import { inspectionIn, inspectionKeys } from '../batch/inspection-rows.ts';
import { LoadedRows } from '../batch/loaded-rows.ts';
import { decideAnswers } from './decide.ts';
import { mutationsOf } from './repeated.ts';
import { readSent } from './sent-answer.ts';

/**
 * The records that an answer is probably meant for. Only the content tells which one it is; to read them together with
 * the inspection saves a call.
 */
const probableKeys = (
  caller: Caller,
  inspectionId: string,
  { section_id, field_id, instance_index = 0, instance_path }: NewAnswer,
): Key[] => {
  const paths = instance_path
    ? [instance_path.toLowerCase()]
    : ['', instanceWithin('', section_id, instance_index)];
  return paths.map((path) => keys.answer(caller, inspectionId, field_id, path));
};

/**
 * Saves the answer to one field, in one instance.
 * @throws ApiError 404; 400 for a field or a reference that does not exist; 409 for a locked inspection or another
 * version; 422 for a value that the field does not take
 */
export const replace = (
  caller: Caller,
  inspectionId: string,
  answer: NewAnswer,
  expectedVersion?: number,
): Promise<AnswerRecord> => {
  const taken = noNumbers();
  return change(caller, async () => {
    const rows = new LoadedRows(caller);
    await rows.load([...inspectionKeys(caller, inspectionId), ...probableKeys(caller, inspectionId, answer)]);
    const { template_id, content_hash } = inspectionIn(caller, rows, inspectionId);
    const index = await contentOf(caller, template_id, content_hash);
    const answers = [readSent(caller, inspectionId, index, { ...answer, expected_version: expectedVersion })];
    const request = { caller, inspectionId, index, answers, mutations: mutationsOf(answers) };
    const { writes, reply } = await decideAnswers(request, 0, rows, taken);
    const [outcome] = reply;
    if ('error' in outcome!) throw outcome.error;
    return { writes, reply: outcome!.record! };
  });
};
