import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { type MailItem, withItem } from '../../domain/notifications/mail-items.ts';
import { change } from '../table/change.ts';
import type { Mailbox } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { getRow, getRows, withoutKeys } from '../table/rows.ts';
import type { DigestTask } from '../table/tasks.ts';
import * as write from '../table/writes.ts';
import { type Contents, recordEnd } from './deliveries.ts';

/**
 * After this time a mail's task has failed for good, in milliseconds. The next notice then gives the worker a new one, so
 * that no mailbox stays full for ever.
 */
const OVERDUE_MS = 3_600_000;

/**
 * Puts a notice into a recipient's mailbox, once however often the notice's task is delivered. The first notice starts
 * the time after which everything that is in the mailbox by then is sent as one mail.
 * @param recipient a member's id, or the hash of an address
 * @param address null for a member
 * @param window how long the mail waits, in seconds
 */
export const collect = (
  caller: Caller,
  { recipient, address }: { recipient: string; address: string | null },
  mailId: string,
  item: MailItem,
  window: number,
): Promise<void> =>
  change(caller, async (work) => {
    const noticeKey = keys.mail(work, mailId, recipient);
    const key = keys.mailbox(work, recipient);
    const [notice, mailbox] = await getRows(work, [noticeKey, key]);
    if (notice) return { writes: [], reply: undefined };
    const now = Date.parse(work.now);
    const { items, left_out } = withItem(mailbox?.items ?? [], item);
    const isScheduled = mailbox !== undefined && now - mailbox.scheduled_at < window * 1_000 + OVERDUE_MS;
    const next: Mailbox = {
      batch_id: mailbox?.batch_id ?? uuidv7(),
      address,
      items,
      left_out: (mailbox?.left_out ?? 0) + left_out,
      scheduled_at: isScheduled ? mailbox.scheduled_at : now,
      version: (mailbox?.version ?? 0) + 1,
    };
    const task: DigestTask = { what: 'digest', batch_id: next.batch_id, recipient };
    const row = { ...key, ...next };
    return {
      writes: [
        write.create({
          ...noticeKey,
          state: 'collected',
          leased_until: 0,
          version: 1,
          ttl: recordEnd(work.now),
        }),
        mailbox ? write.replace(row, mailbox.version) : write.create(row),
        ...(isScheduled ? [] : [enqueue(work, 'mail', task, window)]),
      ],
      reply: undefined,
    };
  });

/** Empties a mailbox into its mail. Undefined when another mail has done so. */
export const takeBatch = async (
  caller: Caller,
  { recipient, batch_id }: DigestTask,
): Promise<Contents | undefined> => {
  const key = keys.mailbox(caller, recipient);
  const mailbox = await getRow(caller, key);
  if (mailbox?.batch_id !== batch_id) return undefined;
  const { address, items, left_out, version } = withoutKeys(mailbox);
  return { batch: { address, items, left_out }, writes: [write.remove(key, version)] };
};
