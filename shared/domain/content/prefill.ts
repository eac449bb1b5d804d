import type { ContentIndex, Instance } from './content-index.ts';
import { type AnswerEntry, readAnswer } from './entry.ts';
import { isCompatible, MEDIA } from './field-types.ts';
import { type Answer, isAnswered } from './values/answer.ts';

/** An earlier answer as the field of another content takes it. */
export interface TakenAnswer extends Instance, AnswerEntry {
  field_id: string;
  section_id: string;
}

/** An answer that a new inspection takes over as a suggestion. */
export type PrefilledAnswer = Omit<TakenAnswer, 'is_failed' | 'media'>;

/** Types whose answers are evidence of their day: nobody can give them again by confirming an old one. */
const EVIDENCE = new Set<string>([...MEDIA, 'signature']);

/**
 * An earlier inspection's answer for a new one: undefined where there is none, where the new content no longer has the
 * field, or the field no longer takes the answer.
 * @param index the content of the new inspection
 * @param before that of the earlier one
 */
export const takenAnswer = (
  index: ContentIndex,
  before: ContentIndex,
  answer: Answer,
): TakenAnswer | undefined => {
  const { field_id, instance_path, value, note, is_na, media = [] } = answer;
  const place = index.fields.get(field_id);
  const was = before.fields.get(field_id);
  if (!place || !was || !isAnswered(answer)) return undefined;
  if (!isCompatible(was.field.type, place.field.type)) return undefined;
  const section_id = place.section.id;
  const sent = { section_id, field_id, instance_path, value, note, is_na, media };
  const { instance, entry } = readAnswer(index, place, sent);
  return instance && entry && { field_id, section_id, ...instance, ...entry };
};

/** The same as a suggestion: without evidence, and without the media beside the answer. */
export const prefilledAnswer = (
  index: ContentIndex,
  before: ContentIndex,
  answer: Answer,
): PrefilledAnswer | undefined => {
  if (EVIDENCE.has(index.fields.get(answer.field_id)?.field.type ?? '')) return undefined;
  const taken = takenAnswer(index, before, { ...answer, media: [] });
  if (!taken) return undefined;
  const { is_failed: _, media: __, ...prefilled } = taken;
  return prefilled;
};
