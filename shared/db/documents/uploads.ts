import type { Caller } from '../../base/caller.ts';
import { conflict, notFound } from '../../base/errors.ts';
import type { NewUpload } from '../../schemas/document.ts';
import { change } from '../table/change.ts';
import { exists } from '../table/conditions.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRow, queryRows } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import * as documents from './documents.ts';

const KIND = 'UPLOAD';

/** A file that a client may store by itself; its id will be the document's. */
export type PendingUpload = Pick<NewUpload, 'file_name' | 'size_bytes'> & { id: string; opened_at: string };

/**
 * Hours after which an upload can no longer be completed, and after which it is taken for abandoned. In between
 * a completion that is under way comes to its end.
 */
const COMPLETABLE = 23;
const ABANDONED = 24;

/** How many abandoned ones a new one takes with it: more than come after it. */
const MOST_ABANDONED = 5;

const keyOf = (caller: Caller, id: string): Key => keys.one(caller, KIND, id);

const ageOf = ({ opened_at }: PendingUpload): number => (Date.now() - Date.parse(opened_at)) / 3_600_000;

/** The oldest of those that nobody will complete any more. */
export const abandoned = async (caller: Caller): Promise<PendingUpload[]> => {
  const found: PendingUpload[] = [];
  const oldestFirst = queryRows<PendingUpload>(caller, {
    partition: keys.all(caller, KIND),
    pageSize: MOST_ABANDONED,
  });
  for await (const upload of oldestFirst) {
    if (ageOf(upload) < ABANDONED || found.push(upload) === MOST_ABANDONED) break;
  }
  return found;
};

/** @param gone abandoned ones whose files are no more */
export const open = <Reply>(
  caller: Caller,
  upload: PendingUpload,
  gone: readonly PendingUpload[],
  reply: Reply,
): Promise<Reply> =>
  change(caller, () => ({
    writes: [
      write.create({ ...keyOf(caller, upload.id), ...upload }),
      ...gone.map(({ id }) => write.drop(keyOf(caller, id))),
    ],
    reply,
  }));

/** @throws ApiError 404; 409 when it is completed */
export const get = async (caller: Caller, id: string): Promise<PendingUpload> => {
  const upload = await getRow<PendingUpload>(caller, keyOf(caller, id));
  // Read after it: a completion that came in between has put the document in its place.
  if (!upload && (await documents.exists(caller, id))) throw conflict('upload is completed');
  if (!upload || ageOf(upload) > COMPLETABLE) throw notFound('upload');
  return upload;
};

/** Part of the completion. */
export const end = (caller: Caller, id: string): Write =>
  write.remove(keyOf(caller, id), exists, () => conflict('upload is completed'));
