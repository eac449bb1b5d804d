import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../base/caller.ts';
import { conflict, unprocessable } from '../base/errors.ts';
import * as documents from '../db/documents/documents.ts';
import type { DocumentFile } from '../db/documents/documents.ts';
import * as uploads from '../db/documents/uploads.ts';
import type { UploadedFile } from '../http/multipart.ts';
import type { Document, NewDocument, NewUpload, Upload } from '../schemas/document.ts';
import { documentKey } from './documents.ts';
import { fileKind } from './file-kind.ts';
import { deleteObject, getObjectHead, signedUpload, storedWith, URL_LIFETIME } from './objects.ts';

/** Bytes by which a file's type is told. */
const HEAD = 64 * 1024;

const executable = (...loc: string[]) =>
  unprocessable([{ loc, type: 'value_error', msg: 'Value error, file is an executable' }]);

/** Stores a file, then its record. @throws ApiError 422 for an executable */
export const createDocument = async (
  caller: Caller,
  { name, bytes }: UploadedFile,
  texts: NewDocument,
): Promise<Document> => {
  const { mimeType, isExecutable } = await fileKind(bytes, name);
  if (isExecutable) throw executable('body', 'file');
  const file: DocumentFile = {
    id: uuidv7(),
    file_name: name,
    mime_type: mimeType,
    size_bytes: bytes.length,
  };
  const object = { key: documentKey(caller, file.id), bytes, contentType: mimeType };
  return storedWith(caller, object, {
    write: () => documents.create(caller, file, texts),
    isWritten: () => documents.exists(caller, file.id),
  });
};

/** Removes the files of uploads that nobody will complete; those that stay are tried again with the next one. */
const clearAbandoned = async (caller: Caller) => {
  const abandoned = await uploads.abandoned(caller);
  const removals = await Promise.allSettled(
    abandoned.map(({ id }) => deleteObject(caller, documentKey(caller, id))),
  );
  return abandoned.filter((_, position) => removals[position]!.status === 'fulfilled');
};

/**
 * Opens an upload: the client stores the file by itself. One that is never completed goes, with its file, when
 * the organization opens another a day later.
 */
export const openUpload = async (
  caller: Caller,
  { file_name, size_bytes, mime_type }: NewUpload,
): Promise<Upload> => {
  const id = uuidv7();
  const now = Date.now();
  const gone = await clearAbandoned(caller);
  const signed = await signedUpload(caller, documentKey(caller, id), {
    size: size_bytes,
    contentType: mime_type,
  });
  const upload = { id, file_name, size_bytes, opened_at: new Date(now).toISOString() };
  return uploads.open(caller, upload, gone, {
    upload_id: id,
    ...signed,
    expires_at: new Date(now + URL_LIFETIME * 1_000).toISOString(),
  });
};

/**
 * Makes a document of an uploaded file.
 * @throws ApiError 404; 409 when the file is not there, is of another size, or the upload is completed; 422 for
 * an executable, which stays to be abandoned
 */
export const completeUpload = async (caller: Caller, id: string, texts: NewDocument): Promise<Document> => {
  const { file_name, size_bytes } = await uploads.get(caller, id);
  const key = documentKey(caller, id);
  const head = await getObjectHead(caller, key, HEAD);
  if (!head) throw conflict('the file has not been uploaded');
  if (head.size !== size_bytes) throw conflict(`the uploaded file has ${head.size} bytes, not ${size_bytes}`);
  const { mimeType, isExecutable } = await fileKind(head.bytes, file_name);
  if (isExecutable) throw executable('path', 'upload_id');
  const file: DocumentFile = { id, file_name, mime_type: mimeType, size_bytes };
  return documents.create(caller, file, texts, [uploads.end(caller, id)]);
};
