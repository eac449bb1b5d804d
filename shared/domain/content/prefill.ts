import type { ContentIndex, Instance } from './content-index.ts';
import { type AnswerEntry, readAnswer } from './entry.ts';
import { isCompatible, MEDIA } from './field-types.ts';
import { type Answer, isAnswered } from './values/answer.ts';

/** An answer that a new inspection takes over, for the field of its own content. */
export interface PrefilledAnswer extends Instance, Omit<AnswerEntry, 'is_failed' | 'media'> {
  field_id: string;
  section_id: string;
}

/** Types whose answers are evidence of their day: nobody can give them again by confirming an old one. */
const EVIDENCE = new Set<string>([...MEDIA, 'signature']);

/**
 * What a new inspection takes over of an earlier one's answer: nothing where its content no longer has the field, or the
 * field no longer takes the answer. Media beside the answer stay with the earlier inspection.
 * @param index the content of the new inspection
 * @param before that of the earlier one
 */
export const prefilledAnswer = (
  index: ContentIndex,
  before: ContentIndex,
  answer: Answer,
): PrefilledAnswer | undefined => {
  const { field_id, instance_path, value, note, is_na } = answer;
  const place = index.fields.get(field_id);
  const was = before.fields.get(field_id);
  if (!place || !was || !isAnswered(answer) || EVIDENCE.has(place.field.type)) return undefined;
  if (!isCompatible(was.field.type, place.field.type)) return undefined;
  const section_id = place.section.id;
  const { instance, entry } = readAnswer(index, place, {
    section_id,
    field_id,
    instance_path,
    value,
    note,
    is_na,
    media: [],
  });
  if (!instance || !entry) return undefined;
  return { field_id, section_id, ...instance, value: entry.value, note, is_na };
};
