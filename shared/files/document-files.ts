import type { Caller } from '../base/caller.ts';
import type { DownloadableDocument } from '../schemas/document.ts';
import * as documents from './documents.ts';
import { discardObject, documentKey, signedUrl } from './objects.ts';

/** A URL, valid for 15 minutes, that downloads a document's file under its own name. */
export const downloadUrl = (
  caller: Caller,
  id: string,
  { file_name: fileName, mime_type: contentType }: Pick<DownloadableDocument, 'file_name' | 'mime_type'>,
): Promise<string> => signedUrl(caller, documentKey(caller, id), { fileName, contentType });

/** A document with a download URL that is valid for 15 minutes. @throws ApiError 404 */
export const downloadableDocument = async (caller: Caller, id: string): Promise<DownloadableDocument> => {
  const document = await documents.get(caller, id);
  return { ...document, download_url: await downloadUrl(caller, id, document) };
};

/** Deletes a document and its file. @throws ApiError 404; 409 while something uses it */
export const deleteDocument = async (caller: Caller, id: string): Promise<void> => {
  await documents.remove(caller, id);
  await discardObject(caller, documentKey(caller, id));
};
