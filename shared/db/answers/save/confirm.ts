import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { formOrder } from '../../../domain/content/form-order.ts';
import { acceptsAnswers } from '../../../domain/inspections/workflow.ts';
import type { AnswerResult, Confirmation } from '../../../schemas/inspections/answer.ts';
import { inspectionRecords } from '../../inspection-core/inspection-record.ts';
import { keys } from '../../table/keys.ts';
import { queryRows } from '../../table/rows.ts';
import { contentOf } from '../../templates/content.ts';
import { replaceAll } from './replace-all.ts';

/**
 * Confirms prefilled answers: each is saved as it stands. What was confirmed before an interruption is no longer
 * prefilled, so the same request completes it.
 * @returns what became of each answer, in the order of the form
 * @throws ApiError 404; 409 for a locked inspection
 */
export const confirm = async (
  caller: Caller,
  inspectionId: string,
  { section_id, field_ids, client_answered_at }: Confirmation,
): Promise<AnswerResult[]> => {
  const inspection = await inspectionRecords.get(caller, inspectionId);
  if (!acceptsAnswers(inspection)) throw errors.inspectionLocked(inspection.status);
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
