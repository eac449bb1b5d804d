import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import type { ContentIndex, FieldPlace } from '../../domain/content/content-index.ts';
import type { InspectionStatus } from '../../schemas/inspections/inspection.ts';
import type { Work } from '../table/change.ts';
import { type Condition, noneOf } from '../table/conditions.ts';
import type { Children, StoredInspection } from '../table/entities.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRow, getRows, type Row, type RowsAt } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { inspectionRecords } from './record.ts';

type Counters =
  | 'answered'
  | 'required'
  | 'total'
  | 'answers_revision'
  | 'correction_revisions'
  | 'findings_count'
  | 'findings_revision'
  | 'open_corrective_actions_count'
  | 'parts_revision'
  | 'reinspections_count';

/**
 * Changes counters of the inspection's row in the transaction of an answer or finding. A step that locks the inspection
 * and a save that must not follow it conflict here, and one of them is decided again.
 */
export const addToCounters = (
  work: Work,
  inspectionId: string,
  add: Partial<Pick<StoredInspection, Counters>>,
  condition: Condition,
): Write =>
  write.update(inspectionRecords.key(work, inspectionId), { set: { updated_at: work.now }, add }, condition);

/** The inspection exists and has none of these statuses. */
export const statusIsNot = (...statuses: InspectionStatus[]): Condition => noneOf('status', statuses);

/** Findings and actions can be worked on after the inspection is completed, but not once it is archived. */
export const isUnarchived = statusIsNot('archived');

/** @throws ApiError 409 for an archived inspection */
export const expectUnarchived = ({ status }: Pick<StoredInspection, 'status'>): void => {
  if (status === 'archived') throw errors.inspectionLocked(status);
};

/**
 * A finding or action by its own id, with its inspection and other rows that the caller needs. Two calls.
 * @throws ApiError 404
 */
export const readPart = async <
  K extends 'FINDING' | 'ACTION',
  const Others extends readonly (Key | undefined)[] = readonly [],
>(
  caller: Caller,
  kind: K,
  id: string,
  ...also: Others
): Promise<{ part: Row<Children[K]>; inspection: Row<StoredInspection>; others: RowsAt<Others> }> => {
  const noun = kind === 'FINDING' ? 'finding' : 'corrective action';
  const found = await getRow(caller, keys.reference(caller, kind, id));
  if (!found) throw errors.notFound(noun);
  const { inspection_id } = found;
  const [part, inspection, ...others] = await getRows(caller, [
    keys.child(caller, inspection_id, kind, id),
    inspectionRecords.key(caller, inspection_id),
    ...also,
  ]);
  if (!part || !inspection) throw errors.notFound(noun);
  return { part, inspection, others };
};

/** A field of an inspection's content. @throws ApiError 400 for an unknown field, or one of another section */
export const placeOf = (index: ContentIndex, fieldId: string, sectionId?: string | null): FieldPlace => {
  const place = index.fields.get(fieldId);
  if (!place) throw errors.notInTemplate('field_id is not a field of this inspection');
  if (sectionId && place.section.id !== sectionId) {
    throw errors.notInTemplate('section_id is not the section of this field');
  }
  return place;
};
