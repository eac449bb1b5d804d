import type { Caller } from '../base/caller.ts';
import { getObject, objectKey, signedUrl } from '../storage/objects.ts';

/** The storage key of a report's file. It is the same for every attempt, so a repeated attempt overwrites the file. */
export const reportFile = (
  caller: Pick<Caller, 'org_id'>,
  reportId: string,
  name: 'report.pdf' | 'payload.json.gz',
): string => objectKey(caller, 'reports', reportId, name);

/** A signed URL of a report's PDF, valid for 15 minutes, with a name for the saved file. */
export const reportFileUrl = (
  caller: Caller,
  { id, version }: { id: string; version: number },
): Promise<string> =>
  signedUrl(caller, reportFile(caller, id, 'report.pdf'), {
    fileName: `report-${id.slice(0, 8)}-v${version}.pdf`,
    contentType: 'application/pdf',
  });

/** The bytes of an image of a payload: a logo by its storage key, any other by its document id; null if not stored. */
export const storedImage = async (caller: Caller, reference: string): Promise<Buffer | null> => {
  const key = reference.includes('/') ? reference : objectKey(caller, 'documents', reference);
  const bytes = await getObject(caller, key);
  return bytes ? Buffer.from(bytes) : null;
};
