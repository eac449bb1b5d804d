import type { Caller } from '../base/caller.ts';
import type { ReportMedia } from '../schemas/reports/report-answer.ts';
import { deleteObject, getObject, objectKey, signedUrl } from '../storage/objects.ts';

const FILES = ['report.pdf', 'payload.json.gz'] as const;

/** The storage key of a report's file. It is the same for every attempt, so a repeated attempt overwrites the file. */
export const reportFile = (
  caller: Pick<Caller, 'org_id'>,
  reportId: string,
  name: (typeof FILES)[number],
): string => objectKey(caller, 'reports', reportId, name);

/** Deletes all files of reports; does nothing where there are none. @throws ApiError 503 */
export const deleteReportFiles = async (caller: Caller, reportIds: readonly string[]): Promise<void> => {
  const files = reportIds.flatMap((id) => FILES.map((name) => reportFile(caller, id, name)));
  await Promise.all(files.map((key) => deleteObject(caller, key)));
};

/** A signed URL of a report's PDF, valid for 15 minutes, with a name for the saved file. */
export const reportFileUrl = (
  caller: Caller,
  { id, version }: { id: string; version: number },
): Promise<string> =>
  signedUrl(caller, reportFile(caller, id, 'report.pdf'), {
    fileName: `report-${id.slice(0, 8)}-v${version}.pdf`,
    contentType: 'application/pdf',
  });

/** A signed URL of a document that a preview shows, valid for 15 minutes. */
export const documentUrl = (
  caller: Caller,
  { document_id, file_name }: Pick<ReportMedia, 'document_id' | 'file_name'>,
): Promise<string> =>
  signedUrl(
    caller,
    objectKey(caller, 'documents', document_id),
    file_name === null ? {} : { fileName: file_name },
  );

/** The bytes of an image of a payload: a logo by its storage key, any other by its document id; null if not stored. */
export const storedImage = async (caller: Caller, reference: string): Promise<Buffer | null> => {
  const key = reference.includes('/') ? reference : objectKey(caller, 'documents', reference);
  const bytes = await getObject(caller, key);
  return bytes ? Buffer.from(bytes) : null;
};
