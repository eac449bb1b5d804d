import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { type PrefilledAnswer, prefilledAnswer } from '../../../domain/content/prefill.ts';
import { newResource } from '../../table/collection.ts';
import type { StoredAnswer, StoredFamily, StoredInspection } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { queryRows, type Row } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';
import { contentOf } from '../../templates/content.ts';
import { saveTaken } from './taken-records.ts';

/** @throws ApiError 400 for an inspection of another template family */
export const expectSameFamily = (earlier: StoredInspection, family: Pick<StoredFamily, 'id'>): void => {
  if (earlier.template_family_id !== family.id) throw errors.otherFamily('prefill_from_inspection_id');
};

const recordOf = (caller: Caller, inspectionId: string, answer: PrefilledAnswer): Row<StoredAnswer> => ({
  ...keys.answer(caller, inspectionId, answer.field_id, answer.instance_path),
  ...newResource({
    ...answer,
    media: [],
    // A suggestion fails nothing. Confirming it does, with the finding that follows.
    is_failed: false,
    answered_by: null,
    answered_at: null,
    finding_id: null,
    mutation_ids: [],
    is_prefilled: true as const,
  }),
});

/** The records that an inspection takes over. Calls: a Query per megabyte of answers, and both contents unless cached. */
const takenOver = async (
  caller: Caller,
  earlier: StoredInspection,
  inspection: StoredInspection,
): Promise<Row<StoredAnswer>[]> => {
  const [before, index, answers] = await Promise.all([
    contentOf(caller, earlier.template_id, earlier.content_hash),
    contentOf(caller, inspection.template_id, inspection.content_hash),
    Array.fromAsync(queryRows(caller, keys.parts(caller, 'INSPECTION', earlier.id, 'ANSWER'))),
  ]);
  return answers.flatMap((answer) => {
    const prefilled = prefilledAnswer(index, before, answer);
    return prefilled ? [recordOf(caller, inspection.id, prefilled)] : [];
  });
};

/**
 * Lets a new inspection take over the answers of an earlier one, as suggestions.
 * @param creation the writes that create the inspection
 * @returns as `saveTaken`
 */
export const prefill = async (
  caller: Caller,
  earlier: StoredInspection,
  inspection: StoredInspection,
  creation: readonly Write[],
): Promise<Write[]> =>
  saveTaken(caller, inspection.id, await takenOver(caller, earlier, inspection), creation);
