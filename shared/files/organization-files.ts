import type { Readable } from 'node:stream';
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Caller } from '../base/caller.ts';
import { environment } from '../base/environment.ts';
import { aliasOf } from '../base/tenancy.ts';
import { retrying } from '../table/retry.ts';
import { at, clients, EXPORTS_PREFIX, objectKey, OWNED_PREFIXES, STORAGE } from './objects.ts';

/* All objects of an organization: for the platform team's tools. Functions may not list the bucket. */

/** The objects below a prefix in the order of their keys, page by page. @param after only those behind this key */
const below = async function* (caller: Caller, prefix: string, after?: string): AsyncGenerator<string> {
  const { Bucket } = at(caller, prefix);
  let start = after;
  for (;;) {
    const command = new ListObjectsV2Command({ Bucket, Prefix: prefix, StartAfter: start });
    const { Contents = [], IsTruncated } = await retrying(STORAGE, () => clients.shared().send(command));
    for (const { Key } of Contents) yield Key!;
    start = Contents.at(-1)?.Key;
    if (!IsTruncated || start === undefined) return;
  }
};

/**
 * The keys of the objects that an export holds, in order: all that are kept for longer than the upload of a file takes.
 * @param after only those behind this key
 */
export const exportedObjects = async function* (caller: Caller, after = ''): AsyncGenerator<string> {
  for (const prefix of [`${EXPORTS_PREFIX}${objectKey(caller)}/`, `${objectKey(caller)}/`]) {
    if (!after.startsWith(prefix) && after > prefix) continue;
    yield* below(caller, prefix, after.startsWith(prefix) ? after : undefined);
  }
};

/** The keys of all objects of an organization. */
export const allObjects = async function* (caller: Caller): AsyncGenerator<string> {
  for (const prefix of OWNED_PREFIXES) yield* below(caller, `${prefix}${aliasOf(caller)}/`);
};

/** An object and its media type. @throws Error when it is missing */
export const openWithType = async (
  caller: Caller,
  key: string,
): Promise<{ body: Readable; contentType: string }> => {
  const command = new GetObjectCommand(at(caller, key));
  const { Body, ContentType } = await retrying(STORAGE, () => clients.shared().send(command));
  // In Node.js, the SDK gives a body as a Readable.
  return { body: Body as Readable, contentType: ContentType ?? 'application/octet-stream' };
};

/** Keeps the certificate of a deletion, outside of all that belongs to organizations. @returns its key */
export const keepCertificate = async (org_id: string, text: string): Promise<string> => {
  const Key = `certificates/${org_id}.json`;
  const command = { Bucket: environment('BUCKET_NAME'), Key, Body: text, ContentType: 'application/json' };
  await retrying(STORAGE, () => clients.shared().send(new PutObjectCommand(command)));
  return Key;
};
