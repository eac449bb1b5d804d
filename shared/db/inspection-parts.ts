import type { Caller } from '../domain/caller.ts';
import type { ContentIndex, FieldPlace } from '../domain/content.ts';
import { badRequest } from '../http/errors.ts';
import { rows, type StoredInspection } from './inspection-rows.ts';
import { type Condition, update, type Write } from './writes.ts';

type Counters = 'answered' | 'required' | 'total' | 'answers_revision' | 'findings_count' | 'parts_revision';

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
  update(rows.key(caller, inspectionId), { set: { updated_at: new Date().toISOString() }, add }, condition);

/** A field of an inspection's content. @throws ApiError 400 when it, or its section, is another one */
export const placeOf = (index: ContentIndex, fieldId: string, sectionId?: string | null): FieldPlace => {
  const place = index.fields.get(fieldId);
  if (!place) throw badRequest('field_id is not a field of this inspection');
  if (sectionId && place.section.id !== sectionId) {
    throw badRequest('section_id is not the section of this field');
  }
  return place;
};
