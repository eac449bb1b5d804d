import { v5 as uuidv5 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import type { Evaluation } from '../../domain/content/conditions/evaluate.ts';
import type { FieldPlace } from '../../domain/content/content-index.ts';
import { innermostIndexOf } from '../../domain/content/instance-paths.ts';
import { type FieldInstance, pathsBelow } from '../../domain/content/instances.ts';
import { isFailed } from '../../domain/content/values/comparison.ts';
import type { StoredAnswer, StoredInspection } from '../../table/entities/inspections.ts';
import type { GoneAnswer } from '../../table/entities/machinery.ts';
import { keys } from '../../table/keys.ts';
import type { Row } from '../../table/rows.ts';

/** The calculated fields, in each of their instances. */
const calculatedFields = ({ index, instances }: Evaluation): FieldInstance[] =>
  [...index.fields.values()]
    .filter(({ field }) => field.type === 'calculated')
    .flatMap((place) =>
      pathsBelow(instances, place.repeats, '').map((instance_path) => ({ place, instance_path })),
    );

/** The id of a result is derived from its field and instance, because nothing of it is stored. */
const idOf = (inspectionId: string, { field }: FieldPlace, instancePath: string): string =>
  uuidv5(`${field.id} ${instancePath}`, inspectionId);

/**
 * The results of formulas as records, in the order of their sort keys. They are computed whenever they are read. So
 * each has the times of the inspection. One without a result has the value null.
 */
export const calculatedRecords = (
  caller: Caller,
  evaluation: Evaluation,
  { id: inspectionId, created_at, updated_at, answers_revision }: StoredInspection,
): Row<StoredAnswer>[] =>
  calculatedFields(evaluation)
    .map(({ place, instance_path }) => {
      const value = evaluation.answerOf(place, instance_path)?.value ?? null;
      const { field, section } = place;
      return {
        ...keys.answer(caller, inspectionId, field.id, instance_path),
        id: idOf(inspectionId, place, instance_path),
        created_at,
        updated_at,
        section_id: section.id,
        field_id: field.id,
        instance_index: innermostIndexOf(instance_path),
        instance_path,
        value,
        note: '',
        is_na: false,
        media: [],
        is_failed: isFailed(field, evaluation.index, value),
        answered_by: null,
        answered_at: null,
        client_answered_at: null,
        version: answers_revision + 1,
        finding_id: null,
        mutation_ids: [],
      };
    })
    .toSorted((a, b) => (a.sk < b.sk ? -1 : 1));

/** The results that an inspection no longer has, because their instances are gone. */
export const goneResults = (inspectionId: string, before: Evaluation, after: Evaluation): GoneAnswer[] => {
  const standing = new Set(
    calculatedFields(after).map(({ place, instance_path }) => idOf(inspectionId, place, instance_path)),
  );
  return calculatedFields(before)
    .map(({ place, instance_path }) => ({
      id: idOf(inspectionId, place, instance_path),
      section_id: place.section.id,
      field_id: place.field.id,
      instance_path,
    }))
    .filter(({ id }) => !standing.has(id));
};
