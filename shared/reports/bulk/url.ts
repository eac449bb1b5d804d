import type { Caller } from '../../base/caller.ts';
import type { BulkFile } from '../../db/reports/bulk-exports.ts';
import { exportKey, signedUrl } from '../../storage/objects.ts';

/** The name of the one file of a bulk export, among those of its items. */
export const bundleName = ({ turn }: Pick<BulkFile, 'turn'>): string => `bundle-${turn}`;

/** The storage key of a file of a bulk export: the one that is downloaded, or that of a report by its id. */
export const bulkFile = (caller: Pick<Caller, 'org_id'>, id: string, name: string): string =>
  exportKey(caller, 'bulk', id, name);

/** A signed URL of the file, valid for 15 minutes. */
export const bulkExportUrl = (caller: Caller, { id, filename, turn }: BulkFile): Promise<string> =>
  signedUrl(caller, bulkFile(caller, id, bundleName({ turn })), { fileName: filename });
