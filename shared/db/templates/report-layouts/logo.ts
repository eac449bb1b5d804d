import * as errors from '../../../base/errors.ts';
import type { Document } from '../../../schemas/document.ts';
import * as documents from '../../documents/documents.ts';
import type { Work } from '../../table/change.ts';
import type { Write } from '../../table/writes.ts';

/** The image types that a report can show. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/tiff', 'image/avif']);

/** @throws ApiError 400 naming the field, for a document that is not such an image */
export const expectPicture = (field: string, { mime_type }: Pick<Document, 'mime_type'>): void => {
  if (!PICTURES.has(mime_type)) throw errors.notAPicture(field);
};

/** Counts the uses of documents when a layout's logo changes. */
export const updateLogoUses = (work: Work, before: string | null, after: string | null): Write[] => {
  if (before === after) return [];
  return [
    ...(before ? [documents.use(work, before, -1, 'theme.logo')] : []),
    ...(after ? [documents.use(work, after, 1, 'theme.logo')] : []),
  ];
};
