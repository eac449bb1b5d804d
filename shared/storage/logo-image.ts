import sharp from 'sharp';
import { unprocessable } from '../base/errors.ts';
import { fileKind } from './file-kind.ts';

const FORMATS = new Set(['image/png', 'image/apng', 'image/jpeg', 'image/webp']);

/** A small file may claim any number of pixels. */
const MOST_PIXELS = 40_000_000;
const SIDE = 1_024;

const refused = (reason: string) =>
  unprocessable([{ loc: ['body', 'file'], type: 'value_error', msg: `Value error, ${reason}` }]);

/**
 * A logo as a PNG of at most 1024 pixels a side, upright, decoded and encoded anew so that nothing but its
 * pixels is kept.
 * @throws ApiError 422 for what is not a PNG, JPEG or WebP by its bytes, or cannot be decoded whole
 */
export const logoImage = async (bytes: Uint8Array): Promise<Uint8Array> => {
  const { mimeType } = await fileKind(bytes, '');
  if (!FORMATS.has(mimeType)) throw refused('file should be a PNG, JPEG or WebP image');
  try {
    return await sharp(bytes, { failOn: 'error', limitInputPixels: MOST_PIXELS })
      .rotate()
      .resize({ width: SIDE, height: SIDE, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer();
  } catch {
    throw refused('file cannot be decoded as an image');
  }
};
