import sharp from 'sharp';
import type { Sharp } from 'sharp';
import { logoOf } from './cover.ts';
import type { ReportPayload } from './former-payload.ts';
import { photosOf } from './media.ts';
import type { NumberedSection } from './sections.ts';

/** An image as the report embeds it; width and height in pixels. */
export interface EmbeddedImage {
  data: Buffer;
  mime: 'image/jpeg' | 'image/png';
  width: number;
  height: number;
}

/** The formats that are decoded. SVG and PDF are refused: they can hold programs. */
const RASTER_FORMATS = new Set<string>(['jpeg', 'png', 'webp', 'gif', 'tiff', 'heif']);

/** The most pixels of an image. Phones take photos of 50 megapixels; a decompression bomb claims far more. */
const MAX_PIXELS = 64_000_000;

/** The most pixels on a side of a photo; a larger one is scaled down. */
const MAX_PHOTO_SIDE = 1280;

/** The most pixels on a side of a logo or a signature; a larger one is scaled down. */
const MAX_GRAPHIC_SIDE = 800;

/**
 * Opens a raster image and turns it upright. The file's content determines its format, not its name.
 * @throws Error for another format, a damaged file or more than `MAX_PIXELS`
 */
const openImage = async (bytes: Buffer): Promise<Sharp> => {
  // Only one image is in memory at a time; without these settings, libvips would keep decoded images.
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

/**
 * A photo as an upright JPEG without metadata, which could name the camera and the place.
 * @param side the most pixels on a side
 * @throws Error for a file that is no image, is damaged or has more than 64 megapixels
 */
export const preparePhoto = async (bytes: Buffer, side = MAX_PHOTO_SIDE): Promise<EmbeddedImage> =>
  encode(fit(await openImage(bytes), side).jpeg({ quality: 72 }), 'image/jpeg');

/**
 * A logo or signature as a lossless PNG, on white where it is transparent.
 * @throws Error for a file that is no image, is damaged or has more than 64 megapixels
 */
export const prepareGraphic = async (bytes: Buffer): Promise<EmbeddedImage> =>
  encode(fit(await openImage(bytes), MAX_GRAPHIC_SIDE).png(), 'image/png');

/** Limits for a report that a person waits for; times are milliseconds since the epoch. */
export interface RenderLimits {
  /** The most pixels on a side of a photo. */
  photoSide: number;
  /** The most bytes of all embedded images together. */
  imageBytes: number;
  /** No image is opened after this time. */
  imagesUntil: number;
  /** The layout of the pages has to end by this time; writing the file takes about as long again. */
  layoutUntil: number;
}

/** Where images come from. */
export interface ImageSource {
  /** The bytes of a document by its id, or of a logo by its storage key; null where there is no such file. */
  loadImage: (reference: string) => Promise<Buffer | null>;
  /** Without limits, every image is shown, however long it takes. */
  limits?: RenderLimits;
}

/** The images that could be opened, by document id or storage key, and a warning for each that could not. */
export interface OpenedImages {
  images: Map<string, EmbeddedImage>;
  warnings: string[];
}

interface WantedImage {
  /** A document id or a storage key. */
  reference: string;
  /** Names the image in a warning. */
  name: string;
  prepare: (bytes: Buffer) => Promise<EmbeddedImage>;
}

/** Every image that the report shows: the logo, the signatures, then the photos. */
const wantedImages = (
  payload: ReportPayload,
  sections: NumberedSection[],
  photoSide: number | undefined,
): WantedImage[] => {
  const logo = logoOf(payload);
  return [
    ...(logo === null ? [] : [{ reference: logo, name: 'logo', prepare: prepareGraphic }]),
    ...payload.signatures.flatMap(({ document_id, signed_name }) =>
      document_id === null
        ? []
        : [{ reference: document_id, name: `signature of ${signed_name}`, prepare: prepareGraphic }],
    ),
    ...Array.from(photosOf(payload, sections), ([reference, { file_name }]) => ({
      reference,
      name: file_name,
      prepare: (bytes: Buffer) => preparePhoto(bytes, photoSide),
    })),
  ];
};

const LEFT_OUT = 'was left out: the report reached its limit of time or size';

/** Loads and prepares one image of at most so many bytes. Returns the reason where it cannot be shown. */
const open = async (
  { reference, prepare }: WantedImage,
  { loadImage, limits }: ImageSource,
  maxBytes: number,
): Promise<EmbeddedImage | string> => {
  if (limits && Date.now() > limits.imagesUntil) return LEFT_OUT;
  try {
    const bytes = await loadImage(reference);
    if (bytes === null) return 'was not found';
    const image = await prepare(bytes);
    return image.data.length > maxBytes ? LEFT_OUT : image;
  } catch (error) {
    return `cannot be shown: ${error instanceof Error ? error.message : String(error)}`;
  }
};

/**
 * Opens the images that a report shows. They are loaded and prepared one after the other, because all the originals
 * of a report together do not fit in memory.
 */
export const openImages = async (
  payload: ReportPayload,
  sections: NumberedSection[],
  source: ImageSource,
): Promise<OpenedImages> => {
  const images = new Map<string, EmbeddedImage>();
  const warnings: string[] = [];
  let bytesLeft = source.limits?.imageBytes ?? Number.POSITIVE_INFINITY;
  for (const wanted of wantedImages(payload, sections, source.limits?.photoSide)) {
    if (images.has(wanted.reference)) continue;
    const image = await open(wanted, source, bytesLeft);
    if (typeof image === 'string') warnings.push(`The image "${wanted.name}" ${image}.`);
    else {
      bytesLeft -= image.data.length;
      images.set(wanted.reference, image);
    }
  }
  return { images, warnings };
};
