import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { change } from '../table/change.ts';
import { exists } from '../table/conditions.ts';
import type { PendingUpload } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { getRow, queryRows } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import * as documents from './documents.ts';

const KIND = 'UPLOAD';

/** How long an upload can be completed, in hours. */
const MAX_COMPLETABLE_HOURS = 23;

/** An upload counts as abandoned after this time, in hours. A completion in progress has ended by then. */
const MIN_ABANDONED_HOURS = 24;

/** How many abandoned uploads a new one deletes. It is more than one, so that their number decreases. */
const MAX_ABANDONED = 5;

/** Open uploads of an organization that are not abandoned. With 100 MB each, their files have 50 GB at most. */
export const MAX_OPEN_UPLOADS = 500;

const keyOf = (caller: Caller, id: string) => keys.one(caller, KIND, id);

/** In hours. @param now in milliseconds */
const ageOf = ({ opened_at }: PendingUpload, now: number): number =>
  (now - Date.parse(opened_at)) / 3_600_000;

/** The uploads of an organization that are not completed. */
interface Uploads {
  /** The oldest abandoned ones. */
  abandoned: PendingUpload[];
  /** How many others there are, and the bytes of their files, even if these have not arrived yet. */
  open: { count: number; bytes: number };
}

/** One call, because the number of uploads is bounded. */
export const all = async (caller: Caller): Promise<Uploads> => {
  const now = Date.now();
  const uploads: Uploads = { abandoned: [], open: { count: 0, bytes: 0 } };
  const oldestFirst = queryRows(caller, { partition: keys.all(caller, KIND) });
  for await (const upload of oldestFirst) {
    if (ageOf(upload, now) < MIN_ABANDONED_HOURS) {
      uploads.open.count += 1;
      uploads.open.bytes += upload.size_bytes;
    } else if (uploads.abandoned.length < MAX_ABANDONED) uploads.abandoned.push(upload);
  }
  return uploads;
};

/** @param cleared abandoned uploads whose files were deleted; their rows are deleted as well */
export const open = <Reply>(
  caller: Caller,
  upload: PendingUpload,
  cleared: readonly PendingUpload[],
  reply: Reply,
): Promise<Reply> =>
  change(caller, () => ({
    writes: [
      write.create({ ...keyOf(caller, upload.id), ...upload }),
      ...cleared.map(({ id }) => write.drop(keyOf(caller, id))),
    ],
    reply,
  }));

/** @throws ApiError 404; 409 when it is completed */
export const get = async (caller: Caller, id: string): Promise<PendingUpload> => {
  const upload = await getRow(caller, keyOf(caller, id));
  // The document is read second: a completion between the reads has replaced the upload by the document.
  if (!upload && (await documents.exists(caller, id))) throw errors.uploadCompleted();
  if (!upload || ageOf(upload, Date.now()) > MAX_COMPLETABLE_HOURS) throw errors.notFound('upload');
  return upload;
};

/** Deletes the pending upload in the transaction of its completion. */
export const end = (caller: Caller, id: string): Write =>
  write.remove(keyOf(caller, id), exists, () => errors.uploadCompleted());
