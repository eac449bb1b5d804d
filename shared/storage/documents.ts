import { documents } from '../db/documents.ts';
import type { Caller } from '../domain/caller.ts';
import type { DownloadableDocument } from '../schemas/document.ts';
import { discardObject, objectKey, signedUrl } from './objects.ts';

/** Where a document's file is. */
export const documentKey = (caller: Caller, id: string): string => objectKey(caller, 'documents', id);

/** A document with a URL that downloads its file for 15 minutes. @throws ApiError 404 */
export const downloadableDocument = async (caller: Caller, id: string): Promise<DownloadableDocument> => {
  const document = await documents.get(caller, id);
  const { file_name: fileName, mime_type: contentType } = document;
  return {
    ...document,
    download_url: await signedUrl(caller, documentKey(caller, id), { fileName, contentType }),
  };
};

/** @throws ApiError 404; 409 while it is used */
export const deleteDocument = async (caller: Caller, id: string): Promise<void> => {
  await documents.delete(caller, id);
  await discardObject(caller, documentKey(caller, id));
};
