import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { Language } from '../base/i18n/languages.ts';
import type { ReportMaterial } from '../domain/report/material.ts';
import { sampleFileKind } from '../domain/report/sample/identities.ts';
import { imageLibrary } from '../files/image-library.ts';
import type { RepliedFile } from '../http/operation/responses.ts';
import type { ReportPayload } from '../schemas/reports/report-payload.ts';
import type { PreviewFormat } from '../schemas/reports/report-preview.ts';
import { buildDocument } from './document/build.ts';
import { isPhoto } from './document/context.ts';
import { shownMedia } from './document/layout.ts';
import { documentUrl, storedImage } from './files.ts';
import { renderHtml } from './html/render-html.ts';
import { renderPdf } from './pdf/render-pdf.ts';
import { type ImageSource, openReportImages } from './presentation/images.ts';
import { expectSize, previewPayload } from './preview-payload.ts';

/** The usual symbol of a photo: hills and a sun. */
const PHOTO = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
<rect width="640" height="480" fill="#e4e7ec"/><circle cx="470" cy="140" r="44" fill="#ffffff"/>
<path d="M0 400 200 190 340 330 430 250 640 420V480H0Z" fill="#98a2b3"/></svg>`;

const DRAWING = `<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480">
<rect width="640" height="480" fill="#ffffff"/><g fill="none" stroke="#475467" stroke-width="4">
<path d="M80 80H560V400H80ZM80 240H300V400M300 240V80"/><circle cx="430" cy="300" r="40"/></g></svg>`;

const SIGNATURE = `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="200">
<path d="M20 140C80 20 120 20 110 130S190 60 220 120 290 40 310 130 420 80 580 60" fill="none"
stroke="#1d2733" stroke-width="7" stroke-linecap="round"/></svg>`;

const IMAGES: Record<string, string> = { photo: PHOTO, drawing: DRAWING, signature: SIGNATURE };

const drawnSample = async (svg: string): Promise<Buffer> => {
  const sharp = await imageLibrary();
  return sharp(Buffer.from(svg)).png().toBuffer();
};

/** The image of a sample document as a PNG; undefined for a reference to a real document. */
const sampleImage = (reference: string): Promise<Buffer> | undefined => {
  const svg = IMAGES[sampleFileKind(reference) ?? ''];
  return svg === undefined ? undefined : drawnSample(svg);
};

/**
 * The most bytes of a preview. A Lambda reply holds 6 MB of base64, and a reply that is stored under an idempotency key
 * has to fit into the 4 MB of a DynamoDB transaction.
 */
const MAX_PREVIEW_BYTES = 3_500_000;

/** The most pixels on a side of a photo. */
const MAX_PHOTO_SIDE = 640;

/** The most bytes of all images together: in base64, which HTML needs, they still leave room for the text. */
const MAX_IMAGE_BYTES = 2_000_000;

/**
 * When the opening of images and the drawing have to end, in milliseconds after the start. API Gateway waits 29
 * seconds.
 */
const MAX_IMAGES_MS = 7_000;
const MAX_DRAWING_MS = 22_000;

/** The addresses of the files that are no photos, by document id. Files of sample answers have no address. */
const fileAddresses = async (caller: Caller, payload: ReportPayload): Promise<Map<string, string>> => {
  const files = shownMedia(payload).filter(
    (media) => !isPhoto(media) && media.file_name !== null && !sampleFileKind(media.document_id),
  );
  const signed = files.map(async (media) => [media.document_id, await documentUrl(caller, media)] as const);
  return new Map(await Promise.all(signed));
};

const draw = async (
  caller: Caller,
  payload: ReportPayload,
  format: PreviewFormat,
  source: ImageSource,
  until: number,
): Promise<Buffer> => {
  const { images } = await openReportImages(payload, source);
  const addresses = await fileAddresses(caller, payload);
  const hrefOf = (documentId: string) => addresses.get(documentId) ?? null;
  const document = buildDocument(payload, { images, hash: null, hrefOf });
  if (format === 'html') return Buffer.from(renderHtml(document, images));
  const json = JSON.stringify(payload);
  return (await renderPdf(document, { images, payload: json }, { within: until - Date.now() })).pdf;
};

const render = async (
  caller: Caller,
  payload: ReportPayload,
  format: PreviewFormat,
  source: ImageSource,
  until: number,
): Promise<Buffer> => {
  try {
    return await draw(caller, payload, format, source, until);
  } catch (error) {
    throw errors.unavailable('Report rendering', error);
  }
};

/**
 * Renders a report without storing anything. Photos are smaller than in a stored report, and are left out when the
 * limit of time or size is reached.
 * @param language null for that of the layout
 * @throws ApiError 409 if the preview is larger than a reply can be; 503 if rendering fails or takes too long
 */
export const previewReport = async (
  caller: Caller,
  material: ReportMaterial,
  language: Language | null,
  format: PreviewFormat,
): Promise<RepliedFile> => {
  const started = Date.now();
  const source: ImageSource = {
    loadImage: (reference) => sampleImage(reference) ?? storedImage(caller, reference),
    limits: {
      photoSide: MAX_PHOTO_SIDE,
      imageBytes: MAX_IMAGE_BYTES,
      imagesUntil: started + MAX_IMAGES_MS,
    },
  };
  const payload = previewPayload(material, language);
  const bytes = await render(caller, payload, format, source, started + MAX_DRAWING_MS);
  expectSize('preview', bytes.length, MAX_PREVIEW_BYTES);
  return {
    bytes,
    media_type: format === 'pdf' ? 'application/pdf' : 'text/html; charset=utf-8',
    file_name: `${material.inspection.name}.${format}`,
  };
};
