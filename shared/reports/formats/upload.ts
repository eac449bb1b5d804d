import { createHash } from 'node:crypto';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import { tooManyRows } from '../../base/errors.ts';
import type { ExportedFile } from '../../db/table/entities.ts';
import { putStream } from '../../storage/streams.ts';

/** Why a file can never be made, for the client; undefined for a failure that may pass. */
export const lastingReason = (error: unknown): string | undefined =>
  error instanceof ApiError && error.code === tooManyRows.code ? error.message : undefined;

/**
 * Stores a file while it is made, however large it is.
 * @returns its size and its SHA-256, which are known at its end
 * @throws what the content or the storage throws; then no file is stored, and the content is closed
 */
export const upload = async (
  caller: Caller,
  key: string,
  content: Readable,
  contentType: string,
): Promise<ExportedFile> => {
  const hash = createHash('sha256');
  let size_bytes = 0;
  const measured = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size_bytes += chunk.length;
      done(null, chunk);
    },
  });
  const passed = pipeline(content, measured);
  // An upload that fails ends the content; its own error is the one that says why.
  passed.catch(() => undefined);
  await putStream(caller, key, measured, contentType).catch((error: Error) => {
    measured.destroy(error);
    throw error;
  });
  await passed;
  return { size_bytes, sha256: hash.digest('hex') };
};
