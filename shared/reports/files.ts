import type { Caller } from '../base/caller.ts';
import { sampleFileKind } from '../domain/report/sample/identities.ts';
import type { ReportPayload } from '../schemas/reports/report-payload.ts';
import { documentKey } from '../storage/documents.ts';
import { deleteObject, getObject, objectKey, signedUrl } from '../storage/objects.ts';
import { isPhoto } from './document/photos.ts';
import { shownMedia } from './document/shown-media.ts';

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

/** The bytes of an image of a payload: a logo by its storage key, any other by its document id; null if not stored. */
export const storedImage = async (caller: Caller, reference: string): Promise<Buffer | null> => {
  const key = reference.includes('/') ? reference : objectKey(caller, 'documents', reference);
  const bytes = await getObject(caller, key);
  return bytes ? Buffer.from(bytes) : null;
};

/**
 * The addresses of the files that a report shows and that are no photos, valid for 15 minutes, by document id. Samples
 * have none.
 */
export const fileAddresses = async (
  caller: Caller,
  payload: ReportPayload,
): Promise<ReadonlyMap<string, string>> => {
  const files = new Map(
    shownMedia(payload)
      .filter((media) => !isPhoto(media) && sampleFileKind(media.document_id) === undefined)
      .map((media) => [media.document_id, media]),
  );
  const addresses = await Promise.all(
    Array.from(files, async ([id, { file_name, mime_type }]): Promise<[string, string]> => [
      id,
      await signedUrl(caller, documentKey(caller, id), {
        fileName: file_name ?? id,
        ...(mime_type && { contentType: mime_type }),
      }),
    ]),
  );
  return new Map(addresses);
};
