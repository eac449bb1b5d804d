import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Caller } from '../base/caller.ts';
import { environment } from '../base/environment.ts';
import { forbiddenByRowLevelSecurity } from '../base/errors.ts';
import { type TenantCredentials, tenantClients } from '../base/tenancy.ts';
import { retrying } from '../db/table/retry.ts';

/** Seconds that a signed URL is good for. */
export const URL_LIFETIME = 900;

const STORAGE = 'the file storage';

const newClient = (credentials?: TenantCredentials): S3Client =>
  new S3Client({
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 15_000 },
    // The checksum of a body that is not there yet would become part of a signed upload.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    // An endpoint of one's own need not have a name for every bucket below its own.
    forcePathStyle: Boolean(process.env['AWS_ENDPOINT_URL_S3']),
    ...(credentials && { credentials }),
  });

const clients = tenantClients(newClient);

/** The key of an organization's object, from the parts below its prefix. */
export const objectKey = ({ org_id }: Pick<Caller, 'org_id'>, ...parts: string[]): string =>
  ['org', org_id, ...parts].join('/');

/**
 * Where an object is, behind the wall between organizations: a key outside the caller's is refused, whoever
 * built it.
 * @throws ApiError 403 `forbidden by row-level security`
 */
const at = (caller: Caller, key: string): { Bucket: string; Key: string } => {
  if (!key.startsWith(objectKey(caller, ''))) throw forbiddenByRowLevelSecurity();
  return { Bucket: environment('BUCKET_NAME'), Key: key };
};

// Without the right to list a bucket, S3 answers 403 for what is not there (S3 API, GetObject, "Permissions").
const ABSENT = new Set(['NoSuchKey', 'NotFound', 'AccessDenied']);

/** Stores an object under a key of the caller's organization. @throws ApiError 503 when S3 is out of reach */
export const putObject = async (
  caller: Caller,
  key: string,
  bytes: Uint8Array,
  contentType: string,
): Promise<void> => {
  const command = { ...at(caller, key), Body: bytes, ContentType: contentType };
  await retrying(STORAGE, () => clients.of(caller).send(new PutObjectCommand(command)));
};

/** The first bytes of an object and its size in bytes; undefined where there is none. @throws ApiError 503 */
export const getObjectHead = async (
  caller: Caller,
  key: string,
  length: number,
): Promise<{ bytes: Uint8Array; size: number } | undefined> => {
  const found = await read(caller, key, `bytes=0-${length - 1}`);
  return found && { bytes: found.bytes, size: found.size };
};

/** An object's bytes, or undefined where there is none. @throws ApiError 503 */
export const getObject = async (caller: Caller, key: string): Promise<Uint8Array | undefined> =>
  (await read(caller, key))?.bytes;

const read = async (caller: Caller, key: string, range?: string) => {
  const command = { ...at(caller, key), ...(range && { Range: range }) };
  try {
    return await retrying(STORAGE, async () => {
      const { Body, ContentLength, ContentRange } = await clients
        .of(caller)
        .send(new GetObjectCommand(command));
      const bytes = await Body!.transformToByteArray();
      return { bytes, size: Number(ContentRange?.split('/')[1] ?? ContentLength) };
    });
  } catch (error) {
    if (ABSENT.has((error as Error).name)) return undefined;
    throw error;
  }
};

/** Deletes an object, whether it is there or not. @throws ApiError 503 */
export const deleteObject = async (caller: Caller, key: string): Promise<void> => {
  const command = at(caller, key);
  await retrying(STORAGE, () => clients.of(caller).send(new DeleteObjectCommand(command)));
};

/**
 * Deletes an object that nothing refers to any more. It comes after the change that counts, so a failure is
 * only told to the log, where the key of what was left behind can be found.
 */
export const discardObject = async (caller: Caller, key: string): Promise<void> => {
  try {
    await deleteObject(caller, key);
  } catch (error) {
    const line = { level: 'error', message: 'object left behind', key, error: String(error) };
    process.stdout.write(`${JSON.stringify(line)}\n`);
  }
};

/**
 * Stores an object and then the record that names it, so that no record ever names nothing; where the record
 * is not written, the object goes again.
 * @param record how to write it, and how to find out after a failure whether it was written all the same
 * @throws what the writing of the record throws; ApiError 503 when S3 is out of reach
 */
export const storedWith = async <Reply>(
  caller: Caller,
  { key, bytes, contentType }: { key: string; bytes: Uint8Array; contentType: string },
  { write, isWritten }: { write: () => Promise<Reply>; isWritten: () => Promise<boolean> },
): Promise<Reply> => {
  await putObject(caller, key, bytes, contentType);
  try {
    return await write();
  } catch (error) {
    const mayBeWritten = await isWritten().catch(() => true);
    if (!mayBeWritten) await discardObject(caller, key);
    throw error;
  }
};

/** The name a browser saves a file under (RFC 6266): plain ASCII for old ones, the whole of it for all others. */
const contentDisposition = (disposition: 'attachment' | 'inline', fileName: string): string => {
  const plain = fileName.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename="${plain}"; filename*=UTF-8''${whole}`;
};

/**
 * A URL by which anyone may read an object for 15 minutes. With a file name it is sent under that name, as an
 * attachment unless `inline`; with a content type as that, whatever it was stored as.
 */
export const signedUrl = (
  caller: Caller,
  key: string,
  file: { fileName?: string; disposition?: 'attachment' | 'inline'; contentType?: string } = {},
): Promise<string> => {
  const { fileName, disposition = 'attachment', contentType } = file;
  const command = new GetObjectCommand({
    ...at(caller, key),
    ...(fileName !== undefined && { ResponseContentDisposition: contentDisposition(disposition, fileName) }),
    ...(contentType && { ResponseContentType: contentType }),
  });
  return getSignedUrl(clients.of(caller), command, { expiresIn: URL_LIFETIME });
};

/** What a client has to send to store an object by itself. */
export interface SignedUpload {
  url: string;
  headers: Record<string, string>;
}

/**
 * A URL by which one object may be stored with PUT in the next 15 minutes: of exactly this size and type, and
 * only while nothing stands under the key, so that what was checked cannot be exchanged.
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
  const url = await getSignedUrl(clients.of(caller), command, {
    expiresIn: URL_LIFETIME,
    signableHeaders: new Set(['host', ...Object.keys(headers)]),
    unhoistableHeaders: new Set(Object.keys(headers)),
  });
  return { url, headers };
};
