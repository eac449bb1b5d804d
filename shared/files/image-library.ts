import type sharp from 'sharp';
import type { Metadata, Sharp } from 'sharp';

/** The library that decodes images. It takes long to load, so it is loaded with the first image. */
export const imageLibrary = async (): Promise<typeof sharp> => (await import('sharp')).default;

/**
 * Pixels of an image that is stored in several passes over the whole picture (an interlaced PNG, a progressive JPEG):
 * all of it is in memory until the last one, and a small file can ask for much work. No camera makes a larger one.
 */
const MAX_PIXELS_IN_PASSES = 40_000_000;

/** How long an image may take. A photo takes a tenth of it. */
const MAX_SECONDS = 8;

/**
 * Opens an image of somebody else.
 * @param maxPixels the most pixels of an image that is stored in one pass
 * @throws Error for a file that is no image, or has too many pixels; what is drawn of it throws if it takes too long
 */
export const openImage = async (
  bytes: Uint8Array,
  maxPixels: number,
): Promise<{ image: Sharp; metadata: Metadata }> => {
  const sharp = await imageLibrary();
  const image = sharp(bytes, { failOn: 'error', limitInputPixels: maxPixels }).timeout({
    seconds: MAX_SECONDS,
  });
  const metadata = await image.metadata();
  const { width, height, isProgressive } = metadata;
  if (isProgressive && width * height > MAX_PIXELS_IN_PASSES) throw new Error('too many pixels');
  return { image, metadata };
};
