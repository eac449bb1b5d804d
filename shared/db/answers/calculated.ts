import { v5 as uuidv5 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import type { Evaluation } from '../../domain/content/conditions/evaluate.ts';
import { innermostIndexOf } from '../../domain/content/instance-paths.ts';
import { pathsBelow } from '../../domain/content/instances.ts';
import { isFailed } from '../../domain/content/values/comparison.ts';
import type { StoredAnswer, StoredInspection } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import type { Row } from '../table/rows.ts';

/**
 * The results of formulas as records, in the order of their sort keys. They are computed whenever they are read, so
 * each is as old as the last change of the inspection, and has an id that follows from its field and instance.
 */
export const calculatedRecords = (
  caller: Caller,
  evaluation: Evaluation,
  { id: inspectionId, created_at, updated_at, answers_revision }: StoredInspection,
): Row<StoredAnswer>[] => {
  const { index, instances } = evaluation;
  const records: Row<StoredAnswer>[] = [];
  for (const place of index.fields.values()) {
    if (place.field.type !== 'calculated') continue;
    for (const instance_path of pathsBelow(instances, place.repeats, '')) {
      const result = evaluation.answerOf(place, instance_path);
      if (!result) continue;
      const { field, section } = place;
      records.push({
        ...keys.answer(caller, inspectionId, field.id, instance_path),
        id: uuidv5(`${field.id} ${instance_path}`, inspectionId),
        created_at,
        updated_at,
        section_id: section.id,
        field_id: field.id,
        instance_index: innermostIndexOf(instance_path),
        instance_path,
        value: result.value,
        note: '',
        is_na: false,
        media: [],
        is_failed: isFailed(field, index, result.value),
        answered_by: null,
        answered_at: null,
        version: answers_revision + 1,
        finding_id: null,
        mutation_ids: [],
      });
    }
  }
  return records.toSorted((a, b) => (a.sk < b.sk ? -1 : 1));
};
