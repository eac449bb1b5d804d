import type { ReportBefore, ReportField, ReportMedia } from '../../../schemas/reports/report-answer.ts';
import { isMedia, type Question } from '../../content/content-index.ts';
import { placeName } from '../../content/instance-paths.ts';
import { namedText, type Stand, titleStand, withAnswers } from '../../content/piping.ts';
import { isAnswered, type MediaItem } from '../../content/values/answer.ts';
import { isFailed } from '../../content/values/comparison.ts';
import type { ReportedAnswer, ReportMaterial } from '../material.ts';
import { keptValue, typedAnswer } from './answers.ts';
import { numberedLabel } from './labels.ts';
import type { EvaluatedMaterial } from './material.ts';

const DELETED = { file_name: null, mime_type: 'application/octet-stream', size_bytes: 0 };

export const mediaOf = ({ documents }: ReportMaterial, items: readonly MediaItem[]): ReportMedia[] =>
  items.map(({ document_id, caption }) => ({
    document_id,
    caption: caption ?? '',
    ...(documents.get(document_id) ?? DELETED),
  }));

/** A text of the content in an instance, with the answers that it refers to, ids by their names. */
export const shownText = (material: EvaluatedMaterial, text: string, stand: Stand): string =>
  withAnswers(material.evaluation, text, stand, namedText(material.index, material.names));

/** The title of a section in an instance of it, or in one within it; null where the content lacks the section. */
export const shownTitle = (material: EvaluatedMaterial, sectionId: string, path: string): string | null => {
  const place = material.index.sections.get(sectionId);
  return place ? shownText(material, place.section.title, titleStand(place, path)) : null;
};

/** What a report shows of a single answer. */
const shownAnswer = (
  material: ReportMaterial,
  field: Question,
  answer: ReportedAnswer | undefined,
): ReportBefore & { answered: ReportedAnswer | undefined } => {
  const answered = answer && isAnswered(answer) ? answer : undefined;
  const media = answered && isMedia(field) && !answered.is_na ? (answered.value as MediaItem[]) : [];
  return {
    answered,
    answer: answered ? typedAnswer(material, field, answered.value) : null,
    is_failed: answered !== undefined && !answered.is_na && isFailed(field, material.index, answered.value),
    is_na: answered?.is_na ?? false,
    note: answer?.note ?? '',
    media: mediaOf(material, [...media, ...(answer?.media ?? [])]),
  };
};

/**
 * How the earlier inspection answered a field. There is nothing to show in a report that does not compare, for a field
 * that the earlier inspection lacks, and for an answer that is carried over from it.
 */
const beforeOf = (material: EvaluatedMaterial, id: string, path: string): { before?: ReportBefore } => {
  const { earlier, earlierByPlace } = material;
  const field = earlier?.index.fields.get(id)?.field;
  const name = placeName(id, path);
  if (!earlier || !earlierByPlace || !field || material.answersByPlace.get(name)?.is_carried_over) return {};
  const then = { ...material, index: earlier.index };
  const { answer, is_failed, is_na, note, media } = shownAnswer(then, field, earlierByPlace.get(name));
  return { before: { answer, is_failed, is_na, note, media } };
};

/**
 * A field with its answer.
 * @param id the field's id, or the key of a start field
 * @param path the instance; empty outside repeat sections
 */
export const fieldOf = (
  material: EvaluatedMaterial,
  field: Question,
  id: string,
  path: string,
  answer: ReportedAnswer | undefined,
): ReportField => {
  const stand = { repeats: material.index.fields.get(id)?.repeats ?? [], path };
  const { answered, ...shown } = shownAnswer(material, field, answer);
  return {
    id,
    type: field.type,
    ...numberedLabel(shownText(material, field.label, stand)),
    help: (field.help_text && shownText(material, field.help_text, stand)) || null,
    instance_path: path,
    ...shown,
    ...(answered && !answered.is_na && keptValue(field, answered.value)),
    ...(answered?.is_carried_over && { is_carried_over: true as const }),
    is_critical: 'critical' in field && field.critical,
    answered_at: answered?.answered_at ?? null,
    client_answered_at: answered?.client_answered_at ?? null,
    answered_by_name: answered?.answered_by ? (material.names.get(answered.answered_by) ?? null) : null,
    ...beforeOf(material, id, path),
  };
};
