import sharp from 'sharp';
import type { Sharp } from 'sharp';
import type { ReportPayload } from '../schemas/reports/report-payload.ts';
import { logoOf, type NumberedSection, photosOf } from './shown.ts';

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

/** A photo as a JPEG, upright and without its metadata (camera, place). @param side its most pixels a side */
export const preparePhoto = async (bytes: Buffer, side = PHOTO_SIDE): Promise<EmbeddedImage> =>
  encode(fit(await openImage(bytes), side).jpeg({ quality: 72 }), 'image/jpeg');

/** A logo or signature as a lossless PNG of at most 800 pixels a side, its transparency laid on white. */
export const prepareGraphic = async (bytes: Buffer): Promise<EmbeddedImage> =>
  encode(fit(await openImage(bytes), SIGNATURE_SIDE).png(), 'image/png');

/** What a report may cost that somebody waits for; times are milliseconds of the epoch. */
export interface Limits {
  /** Pixels a side of a photo. */
  photoSide: number;
  /** Bytes of all images together, as they are embedded. */
  images: number;
  /** After which no further image is opened. */
  imagesUntil: number;
  /** By which pages have to be laid out; writing them takes about as long again. */
  layoutUntil: number;
}

/** Where images come from. */
export interface ImageSource {
  /** A document's bytes by its id, a logo's by its storage key; null when there are none. */
  loadImage: (reference: string) => Promise<Buffer | null>;
  /** Left out, all is shown, however long it takes. */
  limits?: Limits;
}

/**
 * The images that a report shows, by document id or storage key: loaded and prepared one after the other, for so
 * many as a report may have would not fit in memory together.
 * @param warnings is told of each that cannot be shown
 */
export const openImages = async (
  payload: ReportPayload,
  sections: NumberedSection[],
  { loadImage, limits }: ImageSource,
  warnings: string[],
): Promise<Map<string, EmbeddedImage>> => {
  const images = new Map<string, EmbeddedImage>();
  let left = limits?.images ?? Number.POSITIVE_INFINITY;
  const open = async (
    reference: string,
    name: string,
    prepare: (bytes: Buffer) => Promise<EmbeddedImage>,
  ): Promise<void> => {
    if (images.has(reference)) return;
    try {
      const bytes = limits && Date.now() > limits.imagesUntil ? undefined : await loadImage(reference);
      const image = bytes && (await prepare(bytes));
      if (image === null) warnings.push(`image "${name}" is missing`);
      else if (!image || image.data.length > left) warnings.push(`image "${name}" is left out`);
      else {
        left -= image.data.length;
        images.set(reference, image);
      }
    } catch (error) {
      warnings.push(
        `image "${name}" cannot be shown: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  };
  const logo = logoOf(payload);
  if (logo !== null) await open(logo, 'logo', prepareGraphic);
  for (const { document_id, signed_name } of payload.signatures) {
    if (document_id !== null) await open(document_id, `signature of ${signed_name}`, prepareGraphic);
  }
  for (const [reference, { file_name }] of photosOf(payload, sections))
    await open(reference, file_name, (bytes) => preparePhoto(bytes, limits?.photoSide));
  return images;
};
