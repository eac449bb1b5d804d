import type { Problem } from '../../../base/problem.ts';
import type { MediaRule } from '../../../schemas/templates/content.ts';
import { isMedia, type Question } from '../content-index.ts';
import { MAX_MEDIA } from '../limits.ts';
import type { MediaItem } from './answer.ts';
import { list, object, text, type TypeRules, uuid } from './checks.ts';

const MAX_CAPTION_LENGTH = 500;

const mediaRule = (field: Question): MediaRule | null => ('media' in field ? field.media : null);

const mediaList = (field: Question) =>
  list(
    object({ document_id: { check: uuid }, caption: { check: text(MAX_CAPTION_LENGTH), absent: '' } }),
    mediaRule(field)?.max ?? MAX_MEDIA,
    (item) => (item as MediaItem).document_id,
  );

/** `1 photo`, `2 photos`. */
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

export const MEDIA_LIST: TypeRules = {
  check: mediaList,
  references: (items: readonly MediaItem[]) => ({
    document_ids: items.map(({ document_id }) => document_id),
  }),
  display: (items: readonly MediaItem[], { type }) =>
    counted(items.length, type === 'audio' ? 'recording' : type),
};

/** Checks the media beside an answer, like `checkAnswer`; loc `["body", "media", …]`. */
export const checkMedia = (field: Question, value: unknown): { value: MediaItem[] } | Problem[] =>
  mediaList(field)(value, ['body', 'media']) as { value: MediaItem[] } | Problem[];

/** How the MIME types of a kind of media begin; a kind that is not listed takes any. */
const MIME_PREFIXES: Partial<Record<string, string>> = {
  photo: 'image/',
  drawing: 'image/',
  video: 'video/',
  audio: 'audio/',
};

/** Whether a document of this MIME type may be among a field's media. */
export const acceptsMedia = (field: Question, mimeType: string) => {
  const kinds = mediaRule(field)?.kinds ?? (isMedia(field) ? [field.type] : ['file']);
  return kinds.some((kind) => mimeType.startsWith(MIME_PREFIXES[kind] ?? ''));
};
