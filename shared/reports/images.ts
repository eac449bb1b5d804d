import sharp from 'sharp';
import type { Sharp } from 'sharp';

/** An image as the PDF embeds it; width and height in pixels. */
export interface EmbeddedImage {
  data: Buffer;
  mime: 'image/jpeg' | 'image/png';
  width: number;
  height: number;
}

/** What we decode. SVG, PDF and the like are left out: they are programs, not pictures. */
const RASTER_FORMATS = new Set<string>(['jpeg', 'png', 'webp', 'gif', 'tiff', 'heif']);

/** Phones make pictures of 50 megapixels; a bomb claims far more. */
const MAX_PIXELS = 64_000_000;
const PHOTO_SIDE = 1280;
const SIGNATURE_SIDE = 800;

/**
 * Opens a raster image upright, whatever the file's name says; throws on anything else, on a damaged file and on more
 * than 64 megapixels.
 */
const openImage = async (bytes: Buffer): Promise<Sharp> => {
  // One picture is in memory at a time; libvips would otherwise keep what it has decoded.
  sharp.cache(false);
  sharp.concurrency(1);
  const image = sharp(bytes, { failOn: 'error', limitInputPixels: MAX_PIXELS });
  const { format } = await image.metadata();
  if (!RASTER_FORMATS.has(format)) throw new Error(`unsupported image format ${format}`);
  return image.rotate();
};

const fit = (image: Sharp, side: number): Sharp =>
  image
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb');

const encode = async (image: Sharp, mime: EmbeddedImage['mime']): Promise<EmbeddedImage> => {
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { data, mime, width: info.width, height: info.height };
};

/** A photo as a JPEG of at most 1280 pixels a side, upright and without its metadata (camera, place). */
export const preparePhoto = async (bytes: Buffer): Promise<EmbeddedImage> =>
  encode(fit(await openImage(bytes), PHOTO_SIDE).jpeg({ quality: 72 }), 'image/jpeg');

/** A logo or signature as a lossless PNG of at most 800 pixels a side, its transparency laid on white. */
export const prepareGraphic = async (bytes: Buffer): Promise<EmbeddedImage> =>
  encode(fit(await openImage(bytes), SIGNATURE_SIDE).png(), 'image/png');
