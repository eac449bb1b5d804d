import type { Caller } from '../base/caller.ts';
import * as documents from '../db/documents/documents.ts';
import type { DownloadableDocument } from '../schemas/document.ts';
import { discardObject, objectKey, signedUrl } from './objects.ts';

/** Where a document's file is. */
export const documentKey = (caller: Caller, id: string): string => objectKey(caller, 'documents', id);

/** A URL that downloads a document's file under its name for 15 minutes. */
export const downloadUrl = (
  caller: Caller,
  id: string,
  { file_name: fileName, mime_type: contentType }: Pick<DownloadableDocument, 'file_name' | 'mime_type'>,
): Promise<string> => signedUrl(caller, documentKey(caller, id), { fileName, contentType });

/** A document with a URL that downloads its file for 15 minutes. @throws ApiError 404 */
export const downloadableDocument = async (caller: Caller, id: string): Promise<DownloadableDocument> => {
  const document = await documents.get(caller, id);
  return { ...document, download_url: await downloadUrl(caller, id, document) };
};

/** @throws ApiError 404; 409 while it is used */
export const deleteDocument = async (caller: Caller, id: string): Promise<void> => {
  await documents.remove(caller, id);
  await discardObject(caller, documentKey(caller, id));
};
