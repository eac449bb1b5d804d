import type { Caller } from '../base/caller.ts';
import { aliasOf } from '../base/tenancy.ts';
import { inspectionFileName } from '../domain/report/file-name.ts';
import { deleteObject, documentKey, exportKey, getObject, objectKey, signedUrl } from '../files/objects.ts';
import type { ReportMedia } from '../schemas/reports/report-answer.ts';
import type { ExportFormat } from '../schemas/reports/report-export.ts';
import type { StoredExport } from '../table/entities/inspections.ts';
import type { BulkFile } from './rows/bulk-exports.ts';
import type { ExportFile } from './rows/exports.ts';

/** The media type of a file in each format. */
export const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  pdf: 'application/pdf',
  html: 'text/html; charset=utf-8',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json',
  zip: 'application/zip',
};

const FILES = ['report.pdf', 'payload.json.gz'] as const;

/** The storage key of a report's file. It is the same for every attempt, so a repeated attempt overwrites the file. */
export const reportFile = (
  caller: Pick<Caller, 'org_id'>,
  reportId: string,
  name: (typeof FILES)[number],
): string => objectKey(caller, 'reports', aliasOf(caller, reportId), name);

/** Deletes all files of reports; does nothing where there are none. @throws ApiError 503 */
export const deleteReportFiles = async (caller: Caller, reportIds: readonly string[]): Promise<void> => {
  const files = reportIds.flatMap((id) => FILES.map((name) => reportFile(caller, id, name)));
  await Promise.all(files.map((key) => deleteObject(caller, key)));
};

/** A signed URL of a document that a preview shows, valid for 15 minutes. */
export const documentUrl = (
  caller: Caller,
  { document_id, file_name }: Pick<ReportMedia, 'document_id' | 'file_name'>,
): Promise<string> =>
  signedUrl(caller, documentKey(caller, document_id), file_name === null ? {} : { fileName: file_name });

/** The bytes of an image of a payload: a logo by its storage key, any other by its document id; null if not stored. */
export const storedImage = async (caller: Caller, reference: string): Promise<Buffer | null> => {
  const key = reference.includes('/') ? reference : documentKey(caller, reference);
  const bytes = await getObject(caller, key);
  return bytes ? Buffer.from(bytes) : null;
};

/** The storage key of an export's file. A PDF is the report's own file. */
export const exportFile = (
  caller: Pick<Caller, 'org_id'>,
  { id, report_id, format, turn }: Pick<StoredExport, 'id' | 'report_id' | 'format' | 'turn'>,
): string =>
  format === 'pdf'
    ? reportFile(caller, report_id, 'report.pdf')
    : exportKey(caller, 'reports', aliasOf(caller, report_id), `${aliasOf(caller, id)}-${turn}.${format}`);

/** A signed URL of an export's file, valid for 15 minutes, with a name for the saved file. */
export const exportUrl = (caller: Caller, file: ExportFile): Promise<string> =>
  signedUrl(caller, exportFile(caller, file), {
    fileName: file.filename,
    contentType: MEDIA_TYPES[file.format],
  });

/** The name of the one file of a bulk export, among those of its items. */
export const bundleName = ({ turn }: Pick<BulkFile, 'turn'>): string => `bundle-${turn}`;

/** The storage key of a file of a bulk export: the one that is downloaded, or that of a report by its id. */
export const bulkFile = (caller: Pick<Caller, 'org_id'>, id: string, name: string): string =>
  exportKey(caller, 'bulk', aliasOf(caller, id), name);

/** A signed URL of the file, valid for 15 minutes. */
export const bulkExportUrl = (caller: Caller, { id, filename, turn }: BulkFile): Promise<string> =>
  signedUrl(caller, bulkFile(caller, id, bundleName({ turn })), { fileName: filename });

/** Seconds: long enough to begin to read the file, so that a revoked link works hardly longer. */
const LIFETIME = 60;

/** A signed URL of the PDF of a report that is shared, valid for a minute. A saved file has the name of its inspection. */
export const sharedFileUrl = (
  caller: Caller,
  { report, inspection }: { report: { id: string }; inspection: { number: number; name: string } },
  disposition: 'attachment' | 'inline',
): Promise<string> =>
  signedUrl(caller, reportFile(caller, report.id, 'report.pdf'), {
    fileName: inspectionFileName(inspection, 'pdf'),
    contentType: 'application/pdf',
    disposition,
    lifetime: LIFETIME,
  });
