import type { Caller } from '../base/caller.ts';
import { getObject, objectKey, signedUrl } from '../storage/objects.ts';

/** Where a report's files are; the same for every attempt, so that a repeated one leaves nothing behind. */
export const reportFile = (
  caller: Pick<Caller, 'org_id'>,
  reportId: string,
  name: 'report.pdf' | 'payload.json.gz',
): string => objectKey(caller, 'reports', reportId, name);

/** A URL of a report's PDF, good for 15 minutes, under a name to be saved by. */
export const reportFileUrl = (
  caller: Caller,
  { id, version }: { id: string; version: number },
): Promise<string> =>
  signedUrl(caller, reportFile(caller, id, 'report.pdf'), {
    fileName: `report-${id.slice(0, 8)}-v${version}.pdf`,
    contentType: 'application/pdf',
  });

/** The image that a payload names: a logo by its storage key, any other by its document; null when there is none. */
export const storedImage = async (caller: Caller, reference: string): Promise<Buffer | null> => {
  const key = reference.includes('/') ? reference : objectKey(caller, 'documents', reference);
  const bytes = await getObject(caller, key);
  return bytes ? Buffer.from(bytes) : null;
};
