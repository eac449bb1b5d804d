import { safeName } from '../../domain/report/file-name.ts';
import type { ReportMedia } from '../../schemas/reports/report-answer.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import { shownMedia } from '../document/shown-media.ts';

/** A file that is attached to the PDF. */
export interface Attachment {
  /** As readers list it; used once in a PDF. */
  name: string;
  mime: string;
  data: Buffer;
}

/** Bytes of a file that is attached; a larger one is named only, and in the ZIP of the report. */
const MAX_FILE_BYTES = 2_000_000;

/** Bytes of all attached files, so that a report can still be mailed. */
const MAX_ATTACHED_BYTES = 5_000_000;

const FALLBACK_TYPE = 'application/octet-stream';

/** The type without parameters, as PDF/A-3 wants it (ISO 19005-3, section 6.8). */
const mimeOf = ({ mime_type }: ReportMedia): string =>
  /^[\w.+-]+\/[\w.+-]+/.exec(mime_type)?.[0] ?? FALLBACK_TYPE;

/** Every file that the report shows and that is no picture, each once. */
const filesOf = (payload: ReportPayload): ReportMedia[] => {
  const files = shownMedia(payload).filter(
    ({ mime_type, file_name }) => file_name !== null && !mime_type.startsWith('image/'),
  );
  return [...new Map(files.map((file) => [file.document_id, file])).values()];
};

/**
 * Loads the files that are attached to a PDF, by document id: those that the report shows, as long as they are small.
 * @param load the bytes of a document; null where there is no such file
 */
export const openAttachments = async (
  payload: ReportPayload,
  load: (documentId: string) => Promise<Buffer | null>,
): Promise<Map<string, Attachment>> => {
  const attachments = new Map<string, Attachment>();
  let left = MAX_ATTACHED_BYTES;
  for (const [index, file] of filesOf(payload).entries()) {
    const { document_id, file_name, size_bytes } = file;
    if (size_bytes > Math.min(MAX_FILE_BYTES, left)) continue;
    const data = await load(document_id);
    if (!data || data.length > left) continue;
    left -= data.length;
    attachments.set(document_id, {
      name: `${index + 1} ${safeName(file_name ?? '', 'file')}`,
      mime: mimeOf(file),
      data,
    });
  }
  return attachments;
};
