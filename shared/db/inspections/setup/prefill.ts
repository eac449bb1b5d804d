import * as errors from '../../../base/errors.ts';
import { type PrefilledAnswer, prefilledAnswer } from '../../../domain/content/carry-over.ts';
import type { Work } from '../../table/change.ts';
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

const recordOf = (work: Work, inspectionId: string, answer: PrefilledAnswer): Row<StoredAnswer> => ({
  ...keys.answer(work, inspectionId, answer.field_id, answer.instance_path),
  ...newResource(work, {
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
  work: Work,
  earlier: StoredInspection,
  inspection: StoredInspection,
): Promise<Row<StoredAnswer>[]> => {
  const [before, index, answers] = await Promise.all([
    contentOf(work, earlier.template_id, earlier.content_hash),
    contentOf(work, inspection.template_id, inspection.content_hash),
    Array.fromAsync(queryRows(work, keys.parts(work, 'INSPECTION', earlier.id, 'ANSWER'))),
  ]);
  return answers.flatMap((answer) => {
    const prefilled = prefilledAnswer(index, before, answer);
    return prefilled ? [recordOf(work, inspection.id, prefilled)] : [];
  });
};

/**
 * Lets a new inspection take over the answers of an earlier one, as suggestions.
 * @param creation the writes that create the inspection
 * @returns as `saveTaken`
 */
export const prefill = async (
  work: Work,
  earlier: StoredInspection,
  inspection: StoredInspection,
  creation: readonly Write[],
): Promise<Write[]> => saveTaken(work, inspection.id, await takenOver(work, earlier, inspection), creation);
