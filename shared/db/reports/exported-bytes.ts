import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { dayOf, keptFrom, timeAfter } from '../../base/time.ts';
import type { Work } from '../table/change.ts';
import { keys } from '../table/keys.ts';
import { queryRows } from '../table/rows.ts';
import { DEFAULT_MAX_STORED_BYTES } from '../table/stored-bytes.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/*
 * The files of exports delete themselves after 31 days (the bucket's lifecycle), so their bytes are counted by the day on
 * which they were made, and a day's count is forgotten with them. Stored files are counted in `stored-bytes.ts`.
 */

const DAY_SECONDS = 86_400;

/** Days for which a file of an export is kept. */
const KEPT_DAYS = 31;

/** Bytes of all files of exports that an organization may have at a time. */
export const MAX_EXPORTED_BYTES = DEFAULT_MAX_STORED_BYTES;

/** Counts the file of an export, in the transaction that marks the export as ready. */
export const countExportedBytes = (work: Work, bytes: number): Write => {
  const ttl = keptFrom(work.now, (KEPT_DAYS + 1) * DAY_SECONDS);
  return write.update(keys.exportedBytes(work, dayOf(work.now)), { set: { ttl }, add: { bytes } });
};

/** Checks, before an export is created, that its file may be stored. One call. @throws ApiError 409 */
export const checkExportRoom = async (caller: Caller): Promise<void> => {
  let used = 0;
  const oldest = dayOf(timeAfter(new Date().toISOString(), -KEPT_DAYS * DAY_SECONDS * 1_000));
  for await (const { sk, bytes } of queryRows(caller, { partition: keys.exportedBytes.partition(caller) }))
    if (sk >= oldest) used += bytes;
  if (used >= MAX_EXPORTED_BYTES) throw errors.exportsFull(used, MAX_EXPORTED_BYTES);
};
