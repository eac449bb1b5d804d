import type { Caller } from '../base/caller.ts';
import { unavailable } from '../base/errors.ts';
import type { ReportSources } from '../domain/report/build.ts';
import type { RepliedFile } from '../http/file.ts';
import type { ReportPayload } from '../schemas/reports/report-payload.ts';
import type { PreviewFormat } from '../schemas/reports/report-preview.ts';
import { storedImage } from './files.ts';
import { renderHtml } from './html.ts';
import type { ImageSource } from './images.ts';
import { renderPdf } from './pdf.ts';
import { expectSize, previewPayload } from './preview-payload.ts';
import { sampleImage } from './sample-images.ts';

/**
 * Bytes. A reply holds 6 MB (Lambda quotas), in base64, and one that is kept for its idempotency key has to fit
 * into the 4 MB of a transaction (DynamoDB quotas).
 */
const MOST_BYTES = 3_500_000;

/** Pictures that leave room for the text, also where they are written in base64. */
const PICTURES = { photoSide: 640, images: 2_000_000 } as const;

/** Milliseconds, that all may end within the 29 seconds of the gateway. */
const IMAGES_TIME = 7_000;
const LAYOUT_TIME = 11_000;

const draw = async (payload: ReportPayload, format: PreviewFormat, source: ImageSource): Promise<Buffer> => {
  try {
    return format === 'pdf'
      ? (await renderPdf(payload, source)).pdf
      : Buffer.from((await renderHtml(payload, source)).html);
  } catch (error) {
    throw unavailable('report rendering', error);
  }
};

/**
 * A report that is only looked at: nothing is stored. Photos are smaller than in a report, and those for which
 * there is no room or no time are left out.
 * @throws ApiError 409 for one that no reply can hold; 503 where rendering fails or takes too long
 */
export const previewReport = async (
  caller: Caller,
  sources: ReportSources,
  format: PreviewFormat,
): Promise<RepliedFile> => {
  const started = Date.now();
  const bytes = await draw(previewPayload(sources), format, {
    loadImage: (reference) => sampleImage(reference) ?? storedImage(caller, reference),
    limits: { ...PICTURES, imagesUntil: started + IMAGES_TIME, layoutUntil: started + LAYOUT_TIME },
  });
  expectSize('preview', bytes.length, MOST_BYTES);
  return {
    bytes,
    media_type: format === 'pdf' ? 'application/pdf' : 'text/html; charset=utf-8',
    file_name: `${sources.inspection.name}.${format}`,
  };
};
