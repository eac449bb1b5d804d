import type { Problem } from '../../base/problem.ts';
import type { NewAnswer } from '../../schemas/inspections/answer.ts';
import { inAuthorsWords } from './authors-words.ts';
import {
  type ContentIndex,
  type FieldPlace,
  type Instance,
  isMedia,
  resolveInstance,
} from './content-index.ts';
import type { Answer, MediaItem } from './values/answer.ts';
import { checkAnswer } from './values/check-answer.ts';
import { isFailed } from './values/comparison.ts';
import { acceptsMedia, checkMedia } from './values/media.ts';
import { references } from './values/references.ts';

/** An answer from a request, in the form in which it is stored. */
export type AnswerEntry = Required<Pick<Answer, 'value' | 'note' | 'is_na' | 'media'>> & {
  is_failed: boolean;
};

const besideMedia = (): Problem[] => [
  { loc: ['body', 'media'], type: 'value_error', msg: 'Value error, this field takes its media in value' },
];

/**
 * Checks the answer of a request against its field.
 * @returns the instance when that is valid, the entry when the whole answer is, and every problem, loc `["body", …]`
 */
export const readAnswer = (
  index: ContentIndex,
  { field }: FieldPlace,
  { value, note, is_na, media, instance_index, instance_path }: NewAnswer,
): { instance?: Instance; entry?: AnswerEntry; problems: Problem[] } => {
  const instance = resolveInstance(index, field.id, instance_index, instance_path);
  const answer = checkAnswer(field, index, value, { is_na });
  const beside = isMedia(field) && media.length > 0 ? besideMedia() : checkMedia(field, media);
  const refused = Array.isArray(answer) ? inAuthorsWords(field, answer) : [];
  const problems = [instance, refused, beside].flatMap((part) => (Array.isArray(part) ? part : []));
  if (Array.isArray(instance)) return { problems };
  if (Array.isArray(answer) || Array.isArray(beside)) return { instance, problems };
  const is_failed = !answer.is_na && isFailed(field, index, answer.value);
  return { instance, entry: { ...answer, note, media: beside.value, is_failed }, problems };
};

type Shown = Pick<AnswerEntry, 'value' | 'media'>;

/** The ids of all documents in an answer, each once. */
export const documentsOf = ({ field }: FieldPlace, { value, media }: Shown): Set<string> =>
  new Set([...references(field, value).document_ids, ...media.map(({ document_id }) => document_id)]);

/** One problem for each medium whose kind the field does not take. */
export const mediaProblems = (
  { field }: FieldPlace,
  { value, media }: Shown,
  mimeTypeOf: (documentId: string) => string,
): Problem[] => {
  const refused = (name: string, items: readonly MediaItem[]) =>
    items.flatMap(({ document_id }, i): Problem[] => {
      const mimeType = mimeTypeOf(document_id);
      if (acceptsMedia(field, mimeType)) return [];
      const msg = `Value error, the field does not take ${mimeType} files`;
      return [
        { loc: ['body', name, String(i), 'document_id'], type: 'value_error', msg, input: document_id },
      ];
    });
  return isMedia(field) ? refused('value', (value ?? []) as MediaItem[]) : refused('media', media);
};
