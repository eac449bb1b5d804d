import * as errors from '../base/errors.ts';
import { fileKind } from './file-kind.ts';
import { openImage } from './image-library.ts';

const FORMATS = new Set(['image/png', 'image/apng', 'image/jpeg', 'image/webp']);

/** Pixels of the image that is decoded. Even a small file can declare a huge number of pixels. */
const MAX_PIXELS = 40_000_000;
/** Pixels of width and height. */
const MAX_SIDE = 1_024;

const refused = (reason: string) =>
  errors.validationFailed([{ loc: ['body', 'file'], type: 'value_error', msg: `Value error, ${reason}` }]);

/**
 * Converts a logo to an upright PNG of at most 1024 × 1024 pixels. Decoding and encoding it removes everything but the
 * pixels.
 * @throws ApiError 422 for an image that is not a PNG, JPEG or WebP, or that cannot be decoded completely
 */
export const logoImage = async (bytes: Uint8Array): Promise<Uint8Array> => {
  const { mimeType } = await fileKind(bytes, '');
  if (!FORMATS.has(mimeType)) throw refused('file should be a PNG, JPEG or WebP image');
  try {
    const { image } = await openImage(bytes, MAX_PIXELS);
    return await image
      .rotate()
      .resize({ width: MAX_SIDE, height: MAX_SIDE, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer();
  } catch {
    throw refused('file cannot be decoded as an image');
  }
};
