import type { Caller } from '../../base/caller.ts';
import { badRequest, conflict, notFound } from '../../base/errors.ts';
import type { ContentIndex, FieldPlace } from '../../domain/content/content-index.ts';
import { lockedMessage } from '../../domain/inspections/workflow.ts';
import type { InspectionStatus } from '../../schemas/inspections/inspection.ts';
import { type Condition, noneOf } from '../table/conditions.ts';
import { type ChildKind, type Key, keys } from '../table/keys.ts';
import { getRow, getRows, type Row } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { rows, type StoredInspection } from './record.ts';

type Counters =
  | 'answered'
  | 'required'
  | 'total'
  | 'answers_revision'
  | 'correction_revisions'
  | 'findings_count'
  | 'findings_revision'
  | 'open_corrective_actions_count'
  | 'parts_revision';

/**
 * What answers and findings move on their inspection's row, in their own transaction: a step that locks the
 * inspection and a save that it shall lock out meet here, and one of them decides again.
 */
export const countIn = (
  caller: Caller,
  inspectionId: string,
  add: Partial<Pick<StoredInspection, Counters>>,
  condition: Condition,
): Write =>
  write.update(
    rows.key(caller, inspectionId),
    { set: { updated_at: new Date().toISOString() }, add },
    condition,
  );

/** The inspection exists and has none of these statuses. */
export const isNot = (...statuses: InspectionStatus[]): Condition => noneOf('status', statuses);

/** Work on what was found goes on after an inspection's completion; only its archiving ends it. */
export const isUnarchived = isNot('archived');

/** @throws ApiError 409 for an archived inspection */
export const expectUnarchived = ({ status }: Pick<StoredInspection, 'status'>): void => {
  if (status === 'archived') throw conflict(lockedMessage(status));
};

/**
 * A finding or action by its own id, with its inspection and other rows that a decision on it needs.
 * Two calls.
 * @throws ApiError 404
 */
export const readPart = async <Part>(
  caller: Caller,
  kind: 'FINDING' | 'ACTION',
  id: string,
  also: readonly Key[] = [],
): Promise<{ part: Row<Part>; inspection: Row<StoredInspection>; others: (Row<object> | undefined)[] }> => {
  const noun = kind === 'FINDING' ? 'finding' : 'corrective action';
  const found = await getRow<{ inspection_id: string }>(caller, keys.reference(caller, kind, id));
  if (!found) throw notFound(noun);
  const { inspection_id } = found;
  const [part, inspection, ...others] = await getRows<object>(caller, [
    keys.child(caller, inspection_id, kind, id),
    rows.key(caller, inspection_id),
    ...also,
  ]);
  if (!part || !inspection) throw notFound(noun);
  return { part: part as Row<Part>, inspection: inspection as Row<StoredInspection>, others };
};

/** The row by which a child of an inspection is found by its own id. */
export const referenceTo = (
  caller: Caller,
  kind: ChildKind,
  { id, inspection_id }: { id: string; inspection_id: string },
): Write => write.create({ ...keys.reference(caller, kind, id), inspection_id });

/** A field of an inspection's content. @throws ApiError 400 when it, or its section, is another one */
export const placeOf = (index: ContentIndex, fieldId: string, sectionId?: string | null): FieldPlace => {
  const place = index.fields.get(fieldId);
  if (!place) throw badRequest('field_id is not a field of this inspection');
  if (sectionId && place.section.id !== sectionId) {
    throw badRequest('section_id is not the section of this field');
  }
  return place;
};
