import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import type { Work } from '../../table/change.ts';
import type { HeldNotice, StoredBulkChange } from '../../table/entities/bulk-changes.ts';
import { keys } from '../../table/keys.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { queryRows } from '../../table/rows.ts';
import type { HeldNoticesTask, NoticeTask } from '../../table/tasks.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { ttlOf } from './job.ts';

/** Keeps what a row would mail by itself, in the transaction of its change. */
export const heldNotice = (work: Work, stored: StoredBulkChange, task: NoticeTask): Write =>
  write.put<HeldNotice>({
    ...task,
    ...keys.heldNotice(work, stored.id, stored.round, task.mail_id),
    ttl: ttlOf(stored),
  });

/**
 * Has the mail worker tell what was held back in this round: the next one begins in the same transaction.
 * @param stored as it is before that
 */
export const toldWrites = (work: Work, { id, round, status }: StoredBulkChange): Write[] => {
  if (status !== 'running') return [];
  return [enqueue(work, 'mail', { what: 'held_notices', mail_id: uuidv7(), bulk_change_id: id, round })];
};

/** The notices of a round, in the order of the changes. One call for each megabyte. */
export const heldNotices = async (
  caller: Caller,
  { bulk_change_id, round }: HeldNoticesTask,
): Promise<HeldNotice[]> =>
  Array.fromAsync(queryRows(caller, keys.heldNotice.range(caller, bulk_change_id, round)));
