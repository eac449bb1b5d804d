import readExif from 'exif-reader';
import type { Sharp } from 'sharp';
import { imageLibrary, openImage } from '../../files/image-library.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { type PhotoFacts, isPhoto } from '../document/context.ts';
import { shownMedia } from '../document/layout.ts';

type ExifFacts = Pick<PhotoFacts, 'takenAt' | 'position'>;

const NOTHING: ExifFacts = { takenAt: null, position: null };

/** Degrees from degrees, minutes and seconds; null for what is no such list, or out of range. */
const degrees = (parts: unknown, isNegative: boolean, max: number): number | null => {
  if (!Array.isArray(parts) || parts.length === 0 || !parts.every((part) => Number.isFinite(part)))
    return null;
  const [whole = 0, minutes = 0, seconds = 0] = parts as number[];
  const value = whole + minutes / 60 + seconds / 3600;
  return value > max ? null : isNegative ? -value : value;
};

/** The first year that is believed. A camera whose clock was never set writes an earlier one. */
const FIRST_YEAR = 1990;

/**
 * When and where a photo was taken, as its EXIF data says (CIPA DC-008). The time is that of the camera's clock, whose
 * zone is mostly unknown.
 * @param data the EXIF segment of the file; a damaged one says nothing
 */
export const exifFacts = (data: Buffer | undefined): ExifFacts => {
  if (data === undefined) return NOTHING;
  try {
    const { Photo, GPSInfo } = readExif(data);
    const taken = Photo?.DateTimeOriginal;
    const isTime = taken instanceof Date && !Number.isNaN(taken.getTime());
    const [date = '', time = ''] = isTime ? taken.toISOString().split('T') : [];
    const lat = degrees(GPSInfo?.GPSLatitude, GPSInfo?.GPSLatitudeRef === 'S', 90);
    const lng = degrees(GPSInfo?.GPSLongitude, GPSInfo?.GPSLongitudeRef === 'W', 180);
    return {
      takenAt: Number(date.slice(0, 4)) >= FIRST_YEAR ? { date, time: time.slice(0, 8) } : null,
      // Cameras without a fix write zeros.
      position:
        lat === null || lng === null || (lat === 0 && lng === 0) ? null : { lat, lng, accuracy_m: null },
    };
  } catch {
    return NOTHING;
  }
};

/** An image as the report embeds it; width and height in pixels. */
export interface EmbeddedImage extends PhotoFacts {
  data: Buffer;
  mime: 'image/jpeg' | 'image/png';
}

/** The formats that are decoded. SVG and PDF are refused: they can hold programs. */
const RASTER_FORMATS = new Set<string>(['jpeg', 'png', 'webp', 'gif', 'tiff', 'heif']);

/**
 * The most pixels of an image. A JPEG is scaled down while it is decoded, so that its pixels are never in memory
 * together; every other format is decoded whole, with four bytes for each pixel.
 */
const MAX_PIXELS = 24_000_000;
const MAX_JPEG_PIXELS = 200_000_000;

/** The most pixels on a side of a photo; a larger one is scaled down. */
const MAX_PHOTO_SIDE = 1280;

/** The most pixels on a side of a logo or a signature; a larger one is scaled down. */
const MAX_GRAPHIC_SIDE = 800;

type Opened = { image: Sharp } & Pick<PhotoFacts, 'takenAt' | 'position'>;

/**
 * Opens a raster image and turns it upright. The file's content determines its format, not its name.
 * @throws Error for another format, a damaged file or too many pixels
 */
const openUpright = async (bytes: Buffer): Promise<Opened> => {
  const sharp = await imageLibrary();
  // Only one image is in memory at a time; without these settings, libvips would keep decoded images.
  sharp.cache(false);
  sharp.concurrency(1);
  const { image, metadata } = await openImage(bytes, MAX_JPEG_PIXELS);
  const { format, width, height, exif } = metadata;
  if (!RASTER_FORMATS.has(format)) throw new Error(`unsupported image format ${format}`);
  if (format !== 'jpeg' && width * height > MAX_PIXELS) throw new Error('too many pixels');
  return { image: image.rotate(), ...exifFacts(exif) };
};

const fit = (image: Sharp, side: number): Sharp =>
  image
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb');

const encode = async (
  image: Sharp,
  mime: EmbeddedImage['mime'],
  { takenAt, position }: Opened,
): Promise<EmbeddedImage> => {
  const { data, info } = await image.toBuffer({ resolveWithObject: true });
  return { data, mime, width: info.width, height: info.height, takenAt, position };
};

/**
 * A photo as an upright JPEG on white, without metadata, which could name the camera.
 * @param side the most pixels on a side
 * @throws Error for a file that is no image, is damaged or has too many pixels
 */
export const preparePhoto = async (bytes: Buffer, side = MAX_PHOTO_SIDE): Promise<EmbeddedImage> => {
  const opened = await openUpright(bytes);
  return encode(fit(opened.image, side).jpeg({ quality: 72 }), 'image/jpeg', opened);
};

/**
 * A logo or signature as a lossless PNG, on white where it is transparent.
 * @throws Error for a file that is no image, is damaged or has too many pixels
 */
export const prepareGraphic = async (bytes: Buffer): Promise<EmbeddedImage> => {
  const opened = await openUpright(bytes);
  return encode(fit(opened.image, MAX_GRAPHIC_SIDE).png(), 'image/png', opened);
};

/** Limits for a report that a person waits for; times are milliseconds since the epoch. */
export interface RenderLimits {
  /** The most pixels on a side of a photo. */
  photoSide: number;
  /** The most bytes of all embedded images together. */
  imageBytes: number;
  /** No image is opened after this time. */
  imagesUntil: number;
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

/** Every image that the report shows: the logo, the signatures, then the photos. */
const imagesOf = (payload: ReportPayload, photoSide: number | undefined): WantedImage[] => {
  const logo = payload.layout.theme.logo ?? payload.organization.logo;
  return [
    ...(logo === null ? [] : [{ reference: logo, name: 'logo', prepare: prepareGraphic }]),
    ...payload.signatures.flatMap(({ document_id, signed_name }) =>
      document_id === null
        ? []
        : [{ reference: document_id, name: `signature of ${signed_name}`, prepare: prepareGraphic }],
    ),
    ...shownMedia(payload)
      .filter(isPhoto)
      .map(({ document_id, file_name }) => ({
        reference: document_id,
        name: file_name ?? document_id,
        prepare: (bytes: Buffer) => preparePhoto(bytes, photoSide),
      })),
  ];
};

/**
 * Opens images one after the other, because all the originals of a report together do not fit in memory. Each is
 * opened only once.
 */
const openAll = async (wanted: readonly WantedImage[], source: ImageSource): Promise<OpenedImages> => {
  const images = new Map<string, EmbeddedImage>();
  const tried = new Set<string>();
  const warnings: string[] = [];
  let bytesLeft = source.limits?.imageBytes ?? Number.POSITIVE_INFINITY;
  for (const each of wanted) {
    if (tried.has(each.reference)) continue;
    tried.add(each.reference);
    const image = await open(each, source, bytesLeft);
    if (typeof image === 'string') warnings.push(`The image "${each.name}" ${image}.`);
    else {
      bytesLeft -= image.data.length;
      images.set(each.reference, image);
    }
  }
  return { images, warnings };
};

/** Opens the images that the document of a report shows. */
export const openReportImages = (payload: ReportPayload, source: ImageSource): Promise<OpenedImages> =>
  openAll(imagesOf(payload, source.limits?.photoSide), source);
