import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { createPresignedPost } from '@aws-sdk/s3-presigned-post';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Caller } from '../base/caller.ts';
import { connection } from '../base/connection.ts';
import { environment, optionalEnvironment, publicUrl } from '../base/environment.ts';
import * as errors from '../base/errors.ts';
import { contentDisposition } from '../base/headers.ts';
import { logLine } from '../base/log.ts';
import { currentRequest } from '../base/request.ts';
import { aliasOf, tenantClients } from '../base/tenancy.ts';
import { retrying } from '../table/retry.ts';

/** Seconds for which a signed URL is valid. */
export const URL_LIFETIME = 900;

export const STORAGE = 'the file storage';

export const clients = tenantClients(
  (confined) =>
    new S3Client({
      ...connection('bucket'),
      ...confined,
      // Otherwise a signed upload would contain the checksum of an empty body.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      // A custom endpoint may not have a host name for each bucket.
      forcePathStyle: Boolean(process.env['AWS_ENDPOINT_URL_S3']),
    }),
);

/**
 * The key of an organization's object; `parts` follow the organization's prefix. A key stands in every signed URL, and
 * strangers read those of a logo, a shared report or an upload, so it has aliases, of the organization and of what the
 * object belongs to, never an id.
 */
export const objectKey = (org: Pick<Caller, 'org_id'>, ...parts: string[]): string =>
  ['org', aliasOf(org), ...parts].join('/');

/** The key of a document's file. */
export const documentKey = (org: Pick<Caller, 'org_id'>, id: string): string =>
  objectKey(org, 'documents', aliasOf(org, id));

/** Objects under this prefix are deleted when they are two days old (the bucket's lifecycle rule). */
export const PENDING_PREFIX = 'pending/';

/** Objects under this prefix are deleted when they are 31 days old: a day after nothing links to them any more. */
export const EXPORTS_PREFIX = 'exports/';

/** The prefixes under which the objects of organizations are. The alias of the organization follows each. */
export const OWNED_PREFIXES = ['org/', `${PENDING_PREFIX}org/`, `${EXPORTS_PREFIX}org/`] as const;

/** The key of an object of an organization that can be downloaded for 30 days. */
export const exportKey = (org: Pick<Caller, 'org_id'>, ...parts: string[]): string =>
  EXPORTS_PREFIX + objectKey(org, ...parts);

/** The key of an object of an organization that is needed for a short time only. */
export const pendingKey = (org: Pick<Caller, 'org_id'>, ...parts: string[]): string =>
  PENDING_PREFIX + objectKey(org, ...parts);

/** A part of a key that a file system or a proxy takes for another place. */
const ELSEWHERE = /(^|\/)\.{1,2}(\/|$)|\/\//;

/** Whether a key is one of an organization's objects. */
export const isOwnKey = (org: Pick<Caller, 'org_id'>, key: string): boolean =>
  OWNED_PREFIXES.some((prefix) => key.startsWith(`${prefix}${aliasOf(org)}/`)) && !ELSEWHERE.test(key);

/**
 * The bucket and key of an object. A key outside the caller's organization is refused, so a wrong key can never reach
 * another organization's data.
 * @throws ApiError 403 `forbidden by row-level security`
 */
export const at = (caller: Caller, key: string): { Bucket: string; Key: string } => {
  if (!isOwnKey(caller, key)) throw errors.rowLevelSecurity();
  return { Bucket: environment('BUCKET_NAME'), Key: key };
};

/** A right that a refusal names, other than the right to list the bucket. */
const MISSING_RIGHT = /not authorized to perform: (?!s3:ListBucket\b)/;

/**
 * Whether an object is missing. Without the right to list the bucket, S3 returns 403 for a missing object (S3 API,
 * GetObject, "Permissions"). A 403 that names another right, such as the right to use the bucket's KMS key, is a fault
 * of the deployment: treated as a missing object, it would lose a file silently.
 */
export const isAbsent = ({ name, message }: Error): boolean =>
  name === 'NoSuchKey' || name === 'NotFound' || (name === 'AccessDenied' && !MISSING_RIGHT.test(message));

/** Notes that the running request or task stores an object, in case that its organization is deleted meanwhile. */
export const noteStored = (caller: Caller, key: string): void => {
  currentRequest()?.stored.push({ caller, discard: () => discardObject(caller, key) });
};

/** Stores an object under a key of the caller's organization. @throws ApiError 503 when S3 cannot be reached */
export const putObject = async (
  caller: Caller,
  key: string,
  bytes: Uint8Array,
  contentType: string,
): Promise<void> => {
  const command = { ...at(caller, key), Body: bytes, ContentType: contentType };
  noteStored(caller, key);
  await retrying(STORAGE, () => clients.of(caller).send(new PutObjectCommand(command)));
};

/**
 * The first `length` bytes of an object, its size in bytes and its entity tag; undefined when it is missing.
 * @throws ApiError 503
 */
export const getObjectHead = async (
  caller: Caller,
  key: string,
  length: number,
): Promise<{ bytes: Uint8Array; size: number; etag: string } | undefined> =>
  read(caller, key, `bytes=0-${length - 1}`).catch((error: Error) => {
    // An empty object has no byte that a range could name (RFC 9110, section 15.5.17).
    if (error.name !== 'InvalidRange') throw error;
    return { bytes: new Uint8Array(), size: 0, etag: '' };
  });

/** An object's bytes; undefined when it is missing. @throws ApiError 503 */
export const getObject = async (caller: Caller, key: string): Promise<Uint8Array | undefined> =>
  (await read(caller, key))?.bytes;

const read = async (caller: Caller, key: string, range?: string) => {
  const command = { ...at(caller, key), ...(range && { Range: range }) };
  try {
    return await retrying(STORAGE, async () => {
      const { Body, ContentLength, ContentRange, ETag } = await clients
        .of(caller)
        .send(new GetObjectCommand(command));
      const bytes = await Body!.transformToByteArray();
      return { bytes, size: Number(ContentRange?.split('/')[1] ?? ContentLength), etag: ETag! };
    });
  } catch (error) {
    if (isAbsent(error as Error)) return undefined;
    throw error;
  }
};

/**
 * Copies an object within the caller's organization.
 * @param etag the entity tag that the object must still have
 * @returns whether it was copied; false when it is missing or was replaced
 * @throws ApiError 503
 */
export const copyObject = async (
  caller: Caller,
  { from, etag }: { from: string; etag: string },
  to: string,
  contentType: string,
): Promise<boolean> => {
  const { Bucket, Key } = at(caller, from);
  const command = new CopyObjectCommand({
    ...at(caller, to),
    CopySource: `${Bucket}/${Key}`,
    CopySourceIfMatch: etag,
    MetadataDirective: 'REPLACE',
    ContentType: contentType,
  });
  noteStored(caller, to);
  try {
    await retrying(STORAGE, () => clients.of(caller).send(command));
    return true;
  } catch (error) {
    if (isAbsent(error as Error) || (error as Error).name === 'PreconditionFailed') return false;
    throw error;
  }
};

/** Deletes an object; does nothing when it is missing. @throws ApiError 503 */
export const deleteObject = async (caller: Caller, key: string): Promise<void> => {
  const command = at(caller, key);
  await retrying(STORAGE, () => clients.of(caller).send(new DeleteObjectCommand(command)));
};

/**
 * Deletes an object that nothing refers to any more. The change itself has succeeded by then, so a failure is only
 * logged, with the key of the object that was left behind.
 */
export const discardObject = (caller: Caller, key: string): Promise<void> =>
  orLeaveBehind(key, () => deleteObject(caller, key));

/**
 * Replaces a pending object with an empty one, after it was copied. A signed upload stores an object only under an
 * unused key, so nobody can store another object there that no row refers to. The bucket's lifecycle rule deletes the
 * empty object long after the signature has expired. If this fails, the rule deletes the object itself.
 */
export const emptyObject = (caller: Caller, key: string): Promise<void> =>
  orLeaveBehind(key, () => putObject(caller, key, new Uint8Array(), 'application/octet-stream'));

const orLeaveBehind = async (key: string, discard: () => Promise<void>): Promise<void> => {
  try {
    await discard();
  } catch (error) {
    logLine('error', { message: 'object left behind', key, error: String(error) });
  }
};

/** Writes the record of an object, and checks after a failure whether it was written nevertheless. */
interface ObjectRecord<Reply> {
  write: () => Promise<Reply>;
  isWritten: () => Promise<boolean>;
}

/**
 * Stores an object and then its record, so that no record ever refers to a missing object. When the record is not
 * written, the object is deleted.
 * @throws what the record's `write` throws; ApiError 503 when S3 cannot be reached
 */
export const storedWith = async <Reply>(
  caller: Caller,
  { key, bytes, contentType }: { key: string; bytes: Uint8Array; contentType: string },
  record: ObjectRecord<Reply>,
): Promise<Reply> => {
  await putObject(caller, key, bytes, contentType);
  return recorded(caller, key, record);
};

/** Writes the record of an object that is stored already; when it is not written, the object is deleted. */
export const recorded = async <Reply>(
  caller: Caller,
  key: string,
  { write, isWritten }: ObjectRecord<Reply>,
): Promise<Reply> => {
  try {
    return await write();
  } catch (error) {
    const mayBeWritten = await isWritten().catch(() => true);
    if (!mayBeWritten) await discardObject(caller, key);
    throw error;
  }
};

/** Where a signed URL leads people: to the storage, or to what stands before it. */
const reachable = (signed: string): string => {
  const path = optionalEnvironment('FILES_PATH');
  if (path === undefined) return signed;
  const { pathname, search } = new URL(signed);
  return publicUrl(path) + pathname + search;
};

/**
 * A URL by which anyone can read an object for 15 minutes, or for `lifetime`. A file name sets the name of the
 * download, which is an attachment unless `inline`. A content type replaces the stored one.
 * @throws ApiError 503
 */
export const signedUrl = (
  caller: Caller,
  key: string,
  file: {
    fileName?: string;
    disposition?: 'attachment' | 'inline';
    contentType?: string;
    /** Seconds. */
    lifetime?: number;
  } = {},
): Promise<string> => {
  const { fileName, disposition = 'attachment', contentType, lifetime = URL_LIFETIME } = file;
  const command = new GetObjectCommand({
    ...at(caller, key),
    ...(fileName !== undefined && { ResponseContentDisposition: contentDisposition(disposition, fileName) }),
    ...(contentType && { ResponseContentType: contentType }),
  });
  // A signature needs credentials, and those of the tenant role may not be there yet.
  return retrying(STORAGE, async () =>
    reachable(await clients.run(caller, (client) => getSignedUrl(client, command, { expiresIn: lifetime }))),
  );
};

/** The URL and the headers that a client needs to store an object itself. */
export interface SignedUpload {
  url: string;
  headers: Record<string, string>;
}

/**
 * A URL by which one object can be stored with PUT in the next 15 minutes. The object must have exactly this size and
 * type, and the key must be unused, so that nobody can replace an object that was checked already. @throws ApiError 503
 */
export const signedUpload = async (
  caller: Caller,
  key: string,
  { size, contentType }: { size: number; contentType: string },
): Promise<SignedUpload> => {
  const headers = {
    'content-type': contentType,
    'content-length': String(size),
    'if-none-match': '*',
  };
  const command = new PutObjectCommand({
    ...at(caller, key),
    ContentType: contentType,
    ContentLength: size,
    IfNoneMatch: '*',
  });
  const url = await retrying(STORAGE, () =>
    clients.run(caller, (client) =>
      getSignedUrl(client, command, {
        expiresIn: URL_LIFETIME,
        signableHeaders: new Set(['host', ...Object.keys(headers)]),
        unhoistableHeaders: new Set(Object.keys(headers)),
      }),
    ),
  );
  return { url: reachable(url), headers };
};

/** The address and the fields of a form by which a browser stores one file without JavaScript. */
export interface SignedForm {
  url: string;
  /** They stand before the field `file`. */
  fields: Record<string, string>;
}

/**
 * A form by which one object can be stored in the next 15 minutes (Amazon S3, "Browser-Based Uploads Using POST"). It
 * can be sent again, and then replaces the object.
 * @param returnTo where the browser is sent after that
 * @throws ApiError 503
 */
export const signedForm = (
  caller: Caller,
  key: string,
  { maxBytes, returnTo }: { maxBytes: number; returnTo: string },
): Promise<SignedForm> =>
  retrying(STORAGE, async () => {
    const { url, fields } = await clients.run(caller, (client) =>
      createPresignedPost(client, {
        ...at(caller, key),
        Fields: { success_action_redirect: returnTo },
        Conditions: [['content-length-range', 1, maxBytes]],
        Expires: URL_LIFETIME,
      }),
    );
    return { url: reachable(url), fields };
  });
