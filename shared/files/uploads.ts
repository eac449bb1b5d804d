import { v7 as uuidv7 } from 'uuid';
import type { ApiError } from '../base/api-error.ts';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { aliasOf } from '../base/tenancy.ts';
import type { Document, NewDocument, NewUpload, Upload } from '../schemas/document.ts';
import type { PendingUpload } from '../table/entities/organization.ts';
import { checkRoom, expectRoom, storageUse } from '../table/stored-bytes.ts';
import * as documents from './documents.ts';
import type { DocumentFile } from './documents.ts';
import { fileKind } from './file-kind.ts';
import {
  copyObject,
  deleteObject,
  documentKey,
  emptyObject,
  getObjectHead,
  pendingKey,
  recorded,
  signedUpload,
  storedWith,
  URL_LIFETIME,
} from './objects.ts';
import * as uploads from './pending-uploads.ts';
import { MAX_OPEN_UPLOADS } from './pending-uploads.ts';

/** A file of a form. */
export interface UploadedFile {
  /** Without any path, at most 255 characters. */
  name: string;
  bytes: Uint8Array;
}

/** Bytes at the start of a file from which its type is detected. */
const HEAD_BYTES = 64 * 1024;

const executable = (...loc: string[]) =>
  errors.validationFailed([{ loc, type: 'value_error', msg: 'Value error, file is an executable' }]);

/**
 * The key of an upload's file. It becomes the document's file by a copy, so that nobody can store anything under the
 * document's key: not after the file was checked, and not after the document was deleted.
 */
export const uploadKey = (caller: Caller, id: string): string =>
  pendingKey(caller, 'uploads', aliasOf(caller, id));

/** Stores a file and then its record. @throws ApiError 409 when the storage is full; 422 for an executable */
export const createDocument = async (
  caller: Caller,
  { name, bytes }: UploadedFile,
  texts: NewDocument,
): Promise<Document> => {
  const { mimeType, isExecutable } = await fileKind(bytes, name);
  if (isExecutable) throw executable('body', 'file');
  await checkRoom(caller, bytes.length);
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

/** Deletes the files of abandoned uploads and returns these uploads, without those whose deletion failed. */
const clearAbandoned = async (caller: Caller, abandoned: readonly PendingUpload[]) => {
  const removals = await Promise.allSettled(
    abandoned.map(async ({ id }) => {
      await deleteObject(caller, uploadKey(caller, id));
      // An interrupted completion may have left it.
      await deleteObject(caller, documentKey(caller, id));
    }),
  );
  return abandoned.filter((_, position) => removals[position]!.status === 'fulfilled');
};

/**
 * Opens an upload, for which the client itself stores the file. An upload that is never completed is deleted with its
 * file when the organization opens another upload at least a day later; its file is deleted after two days in any case.
 * @throws ApiError 409 when the organization has too many open uploads, or no storage for the files of all of them
 */
export const openUpload = async (
  caller: Caller,
  { file_name, size_bytes, mime_type }: NewUpload,
): Promise<Upload> => {
  const id = uuidv7();
  const now = Date.now();
  const [{ abandoned, open }, { used_bytes, max_bytes }] = await Promise.all([
    uploads.all(caller),
    storageUse(caller),
  ]);
  if (open.count >= MAX_OPEN_UPLOADS) throw errors.tooManyUploads(MAX_OPEN_UPLOADS);
  expectRoom({ used_bytes: used_bytes + open.bytes, max_bytes }, size_bytes);
  const cleared = await clearAbandoned(caller, abandoned);
  const signed = await signedUpload(caller, uploadKey(caller, id), {
    size: size_bytes,
    contentType: mime_type,
  });
  const upload = { id, file_name, size_bytes, opened_at: new Date(now).toISOString() };
  return uploads.open(caller, upload, cleared, {
    upload_id: id,
    ...signed,
    expires_at: new Date(now + URL_LIFETIME * 1_000).toISOString(),
  });
};

/** Says why a file cannot be taken, or that another request has completed the upload meanwhile. @throws ApiError 409 */
const refuse = async (caller: Caller, id: string, otherwise: ApiError): Promise<never> => {
  await uploads.get(caller, id);
  throw otherwise;
};

/**
 * Creates a document from an uploaded file.
 * @throws ApiError 404; 409 when the file is missing or has another size, the upload is completed, or the storage is
 * full; 422 for an executable, whose upload stays open until it is abandoned
 */
export const completeUpload = async (caller: Caller, id: string, texts: NewDocument): Promise<Document> => {
  const { file_name, size_bytes } = await uploads.get(caller, id);
  const key = uploadKey(caller, id);
  const head = await getObjectHead(caller, key, HEAD_BYTES);
  if (!head) return refuse(caller, id, errors.fileNotUploaded());
  if (head.size !== size_bytes) return refuse(caller, id, errors.fileSizeMismatch(head.size, size_bytes));
  const { mimeType, isExecutable } = await fileKind(head.bytes, file_name);
  if (isExecutable) throw executable('path', 'upload_id');
  await checkRoom(caller, size_bytes);
  const file: DocumentFile = { id, file_name, mime_type: mimeType, size_bytes };
  const copy = documentKey(caller, id);
  if (!(await copyObject(caller, { from: key, etag: head.etag }, copy, mimeType)))
    return refuse(caller, id, errors.fileNotUploaded());
  const document = await recorded(caller, copy, {
    write: () => documents.create(caller, file, texts, [uploads.end(caller, id)]),
    isWritten: () => documents.exists(caller, id),
  });
  await emptyObject(caller, key);
  return document;
};
