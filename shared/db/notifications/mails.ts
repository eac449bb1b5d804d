import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { dayOf, keptFrom } from '../../base/time.ts';
import { canReceiveMail, type MailItem, withItem } from '../../domain/notifications/mail.ts';
import { MAX_MEMBER_MAILS_PER_DAY, MAX_OTHER_MAILS_PER_DAY } from '../../schemas/mail.ts';
import type { NotificationKind } from '../../schemas/preferences.ts';
import * as preferences from '../me/preferences.ts';
import * as members from '../members/members.ts';
import { change, NOTHING } from '../table/change.ts';
import type { Mailbox, MailDelivery } from '../table/entities/machinery.ts';
import type { StoredMember } from '../table/entities/organization.ts';
import { job, Overtaken } from '../table/job.ts';
import { type Key, keys } from '../table/keys.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { getRow, getRows, withoutKeys, withRows } from '../table/rows.ts';
import { nextNumber } from '../table/single-write.ts';
import type { DigestTask } from '../table/tasks.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/**
 * The end of a mail: the mail service has accepted it or refused it for good, or the organization's limit was reached.
 */
export interface DeliveredMail {
  state: Exclude<MailDelivery['state'], 'collected' | 'sending'>;
  /** Why it was refused. */
  detail?: string | undefined;
}

/** How long a worker may hold a mail, in milliseconds: longer than it runs, so that no two ever send the same mail. */
const LEASE_MS = 90_000;

/** How long the record of a mail is kept, in seconds: longer than any queue keeps its task. */
const KEPT_SECONDS = 30 * 86_400;

/** When the record of a mail may be deleted, in epoch seconds. @param now ISO 8601 */
const recordEnd = (now: string): number => Math.floor(Date.parse(now) / 1_000) + KEPT_SECONDS;

/** The batch of a mail when it is first reserved, and the writes that take it from its mailbox. */
interface MailContents {
  batch: MailDelivery['batch'];
  writes: Write[];
}

const mailJob = (key: Key<MailDelivery>) =>
  job<MailDelivery>({
    key: () => key,
    row: (_, mail) => ({ ...mail, ...key }),
    hasEnded: ({ state }) => state !== 'sending',
    guard: ['version', 'state'],
    begun: ({ version }, now) => ({ state: 'sending', version: version + 1, ttl: recordEnd(now) }),
    lease: LEASE_MS,
    lost: () => new Overtaken('another worker is sending this mail'),
  });

const NO_MAIL_CONTENTS = async (): Promise<MailContents> => ({ batch: undefined, writes: [] });

/** A mail that nobody has taken. */
const NEW: MailDelivery = { state: 'sending', leased_until: 0, version: 0, ttl: 0 };

/**
 * Sends one recipient's mail once, even when several workers get the task or get it again. There is one exception:
 * when a worker dies while it sends, nobody knows whether the mail went out, and it is sent again.
 * @param recipient a member's id, the hash of an address, or the name of one of several parts of a mail
 * @param send when it throws, the next attempt sends the mail
 * @param contents takes the batch of the mail from its mailbox
 * @returns how the mail ended, now or before; undefined when there was nothing to send
 * @throws Error what `send` throws; also while another worker sends this mail
 */
export const deliverOnce = async (
  caller: Caller,
  mailId: string,
  recipient: string,
  send: (batch: MailDelivery['batch']) => Promise<DeliveredMail>,
  contents: () => Promise<MailContents | undefined> = NO_MAIL_CONTENTS,
): Promise<DeliveredMail | undefined> => {
  const key = keys.mail(caller, mailId, recipient);
  const mail = mailJob(key);
  const taken = await change<MailDelivery | undefined>(caller, async (work) => {
    const row = await getRow(caller, key);
    if (row) return mail.hasEnded(row) ? { writes: [], reply: row } : mail.take(work, row);
    const found = await contents();
    if (!found) return NOTHING;
    return mail.takeNew(work, { ...NEW, ...(found.batch && { batch: found.batch }) }, ...found.writes);
  });
  if (!taken) return undefined;
  // A notice that waits in a mailbox has another id than any mail.
  if (mail.hasEnded(taken)) return { state: taken.state as DeliveredMail['state'], detail: taken.detail };
  let outcome: DeliveredMail;
  try {
    outcome = await send(taken.batch);
  } catch (error) {
    // Whatever fails here, the lease ends by itself.
    await change(caller, (work) => mail.release(work, taken)).catch(() => undefined);
    throw error;
  }
  // The content of the mail is not kept.
  const { batch: _, ...record } = taken;
  const { state, detail } = outcome;
  await change(caller, (work) => mail.save(work, record, { state, ...(detail !== undefined && { detail }) }));
  return outcome;
};

/**
 * After this time a mail's task has failed for good, in milliseconds. The next notice then gives the worker a new one,
 * so that no mailbox stays full for ever.
 */
const OVERDUE_MS = 3_600_000;

/**
 * Puts a notice into a recipient's mailbox, once however often the notice's task is delivered. The first notice starts
 * a time, after which all notices in the mailbox are sent as one mail.
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
): Promise<MailContents | undefined> => {
  const key = keys.mailbox(caller, recipient);
  const mailbox = await getRow(caller, key);
  if (mailbox?.batch_id !== batch_id) return undefined;
  const { address, items, left_out, version } = withoutKeys(mailbox);
  return { batch: { address, items, left_out }, writes: [write.remove(key, version)] };
};

/** How long a day's number is kept, in seconds: longer than the day. */
const DAY_COUNT_SECONDS = 2 * 86_400;

/**
 * Counts one mail of an organization.
 * @returns whether it may be sent; false when the organization has reached its limit of today
 */
export const countMail = async (caller: Caller, isToMember: boolean): Promise<boolean> => {
  const now = new Date().toISOString();
  const key = keys.mailCount(caller, dayOf(now), isToMember ? 'MEMBERS' : 'OTHERS');
  const count = await nextNumber(caller, key, keptFrom(now, DAY_COUNT_SECONDS));
  return count <= (isToMember ? MAX_MEMBER_MAILS_PER_DAY : MAX_OTHER_MAILS_PER_DAY);
};

/** The members who can receive mails and have not switched this kind off. */
export const membersToMail = async (
  caller: Caller,
  userIds: readonly string[],
  kind: NotificationKind,
): Promise<StoredMember[]> => {
  const ids = (async function* () {
    yield* userIds;
  })();
  const found = withRows(caller, ids, (id) => [members.key(caller, id), preferences.key(caller, id)]);
  const wanted: StoredMember[] = [];
  for await (const [, [member, chosen]] of found) {
    if (member && canReceiveMail(member) && preferences.wants(chosen, kind)) wanted.push(member);
  }
  return wanted;
};
