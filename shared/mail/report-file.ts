import { buffer } from 'node:stream/consumers';
import type { Caller } from '../base/caller.ts';
import type { StoredInspection, StoredReport } from '../db/table/entities.ts';
import { inspectionFileName } from '../domain/report/file-name.ts';
import { makeFile } from '../reports/export.ts';
import { MEDIA_TYPES } from '../reports/files.ts';
import type { EmailFormat } from '../schemas/reports/report-email.ts';
import type { Attachment } from './compose.ts';

/**
 * A report's file in a format, as an attachment with the number and the name of the inspection.
 * @throws Error when a file that a ready report has is missing, which a later attempt may find
 */
export const attachedReport = async (
  caller: Caller,
  { id }: Pick<StoredReport, 'id'>,
  format: EmailFormat,
  inspection: Pick<StoredInspection, 'number' | 'name'>,
): Promise<Attachment> => ({
  filename: inspectionFileName(inspection, format),
  contentType: MEDIA_TYPES[format],
  content: await buffer(await makeFile(caller, format, id)),
});
