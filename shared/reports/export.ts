import type { Caller } from '../base/caller.ts';
import * as exports from '../db/reports/exports.ts';
import type { StoredExport } from '../db/table/entities.ts';
import { exportKey, signedUrl } from '../storage/objects.ts';
import { reportFile } from './files.ts';
import { makeFile, MEDIA_TYPES } from './formats/file.ts';
import { upload } from './formats/upload.ts';

/** A task of the export queue. */
export interface ExportTask {
  inspection_id: string;
  report_id: string;
  export_id: string;
}

/** Where the file of an export is. The PDF is the report's own. */
const fileOf = (
  caller: Pick<Caller, 'org_id'>,
  { id, report_id, format }: Pick<StoredExport, 'id' | 'report_id' | 'format'>,
): string =>
  format === 'pdf'
    ? reportFile(caller, report_id, 'report.pdf')
    : exportKey(caller, 'reports', report_id, `${id}.${format}`);

/** A signed URL of an export's file, valid for 15 minutes, with a name for the saved file. */
export const exportUrl = (caller: Caller, file: exports.ExportFile): Promise<string> =>
  signedUrl(caller, fileOf(caller, file), {
    fileName: file.filename,
    contentType: MEDIA_TYPES[file.format],
  });

/**
 * Makes the file of an export. It may be repeated after a failure at any point; an export that has ended is left
 * unchanged.
 * @throws any error of reading, making or storing, so that the queue delivers the task again
 */
export const makeExport = async (caller: Caller, task: ExportTask): Promise<void> => {
  const work = await exports.beginExport(caller, task);
  if (!work) return;
  const { stored, report } = work;
  const content = await makeFile(caller, stored.format, report.id);
  const file = await upload(caller, fileOf(caller, stored), content, MEDIA_TYPES[stored.format]);
  await exports.endExport(caller, stored, { status: 'ready', ...file });
};

/** Marks an export as failed after its last attempt. It may be repeated. */
export const giveUpExport = async (caller: Caller, task: ExportTask): Promise<void> => {
  const work = await exports.beginExport(caller, task);
  if (work)
    await exports.endExport(caller, work.stored, {
      status: 'failed',
      error: 'The file could not be made. Request the export again.',
    });
};
