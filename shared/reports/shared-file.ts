import type { Caller } from '../base/caller.ts';
import { signedUrl } from '../storage/objects.ts';
import { reportFile } from './files.ts';

/** Seconds: long enough to begin to read the file, and little longer than a link that was revoked. */
const LIFETIME = 60;

/** A signed URL of the PDF of a report that is shared, valid for a minute. */
export const sharedFileUrl = (
  caller: Caller,
  { id, version }: { id: string; version: number },
  disposition: 'attachment' | 'inline',
): Promise<string> =>
  signedUrl(caller, reportFile(caller, id, 'report.pdf'), {
    fileName: `report-${id.slice(0, 8)}-v${version}.pdf`,
    contentType: 'application/pdf',
    disposition,
    lifetime: LIFETIME,
  });
