import * as errors from '../../../base/errors.ts';
import type { Document } from '../../../schemas/document.ts';

/** The image types that a report can show. */
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/tiff', 'image/avif']);

/** @throws ApiError 400 naming the field, for a document that is not such an image */
export const expectPicture = (field: string, { mime_type }: Pick<Document, 'mime_type'>): void => {
  if (!PICTURES.has(mime_type)) throw errors.notAPicture(field);
};
