import type { Caller } from '../base/caller.ts';
import type { ExportFile } from '../db/reports/exports.ts';
import type { StoredExport } from '../db/table/entities.ts';
import { exportKey, signedUrl } from '../storage/objects.ts';
import { reportFile } from './files.ts';
import { MEDIA_TYPES } from './formats/media-types.ts';

/** Where the file of an export is. The PDF is the report's own. */
export const exportFile = (
  caller: Pick<Caller, 'org_id'>,
  { id, report_id, format, turn }: Pick<StoredExport, 'id' | 'report_id' | 'format' | 'turn'>,
): string =>
  format === 'pdf'
    ? reportFile(caller, report_id, 'report.pdf')
    : exportKey(caller, 'reports', report_id, `${id}-${turn}.${format}`);

/** A signed URL of an export's file, valid for 15 minutes, with a name for the saved file. */
export const exportUrl = (caller: Caller, file: ExportFile): Promise<string> =>
  signedUrl(caller, exportFile(caller, file), {
    fileName: file.filename,
    contentType: MEDIA_TYPES[file.format],
  });
