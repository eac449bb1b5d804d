import type { Readable } from 'node:stream';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { Caller } from '../base/caller.ts';
import { retrying } from '../table/retry.ts';
import { at, clients, isAbsent, noteStored, STORAGE } from './objects.ts';

/**
 * Bytes of one part of an upload. S3 takes 10,000 parts (Amazon S3, "Multipart upload limits"), which is 100 GB. The
 * local S3 takes no part of more than 11 MB.
 */
const PART_BYTES = 10 * 1024 * 1024;

/**
 * Stores an object of any size while it is made, with at most two parts of it in memory. An upload that fails leaves no
 * object.
 * @throws what the stream throws; Error when S3 cannot be reached
 */
export const putStream = async (
  caller: Caller,
  key: string,
  stream: Readable,
  contentType: string,
): Promise<void> => {
  const params = { ...at(caller, key), Body: stream, ContentType: contentType };
  noteStored(caller, key);
  await clients.run(caller, (client) =>
    new Upload({ client, params, partSize: PART_BYTES, queueSize: 1 }).done(),
  );
};

/** An object as a stream of its bytes; undefined when it is missing. @throws ApiError 503 */
export const openObject = async (caller: Caller, key: string): Promise<Readable | undefined> => {
  try {
    const { Body } = await retrying(STORAGE, () =>
      clients.of(caller).send(new GetObjectCommand(at(caller, key))),
    );
    // In Node.js, the SDK gives a body as a Readable.
    return Body as Readable;
  } catch (error) {
    if (isAbsent(error as Error)) return undefined;
    throw error;
  }
};
