import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../base/caller.ts';
import { mailboxOf } from '../base/text.ts';
import type { MailNote } from '../domain/mail/progress.ts';
import { canReceiveMail, type MailItem, withItem } from '../domain/notifications/mail.ts';
import { countSent } from '../organizations/addresses/reputation.ts';
import * as preferences from '../organizations/me/preferences.ts';
import * as members from '../organizations/members/members.ts';
import type { WaitReason } from '../schemas/mail.ts';
import type { NotificationKind } from '../schemas/preferences.ts';
import { change, NOTHING } from '../table/change.ts';
import type { Mailbox, MailDelivery, OutboxTask } from '../table/entities/machinery.ts';
import type { StoredMember, StoredOrganization } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { countInMonth } from '../table/month-counts.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { getRow, getRows, withoutKeys, withRows } from '../table/rows.ts';
import type { DigestTask, MailSubject } from '../table/tasks.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { collectedMail, lookedAtAgain, mailJob, newPlace, recordEnd, waitingMail } from './waiting-mails.ts';

/** What became of a mail: the mail service has accepted it or refused it for good, or it waits for its day. */
export interface DeliveredMail {
  state: Exclude<MailDelivery['state'], 'collected' | 'sending'>;
  /** Why it was refused. */
  detail?: string | undefined;
  /** When the worker looks at it again, if it waits; ISO 8601 in UTC. */
  send_after?: string | undefined;
  /** Why it waits. Absent where that is the limit of a day. */
  reason?: MailNote['reason'];
  /** The address that has to confirm first. */
  held_for?: string;
  /** The promises that it keeps, where these are fewer than when it was taken. */
  about?: MailSubject[] | undefined;
  /** The addresses to which it goes or went, where these are several. */
  addresses?: readonly string[] | undefined;
}

/** What stands in the mail of something else has no outcome of its own. */
const outcomeOf = ({
  state,
  detail,
  send_after,
  reason,
  about,
  addresses,
}: MailDelivery): DeliveredMail | undefined => {
  if (state === 'collected' || state === 'sending') return undefined;
  return {
    state,
    detail,
    about,
    addresses,
    ...(state === 'over_limit' && { send_after, ...(reason && { reason }) }),
  };
};

/** What a mail says and tells of when it is first reserved, and the writes that take this from where it waited. */
interface MailContents extends Pick<MailDelivery, 'batch' | 'about'> {
  writes: Write[];
}

const NO_MAIL_CONTENTS = async (): Promise<MailContents> => ({ writes: [] });

/** A mail that nobody has taken. */
const NEW: MailDelivery = { state: 'sending', leased_until: 0, version: 0, ttl: 0 };

/** Which mail a task sends. */
export interface MailIdentity {
  mailId: string;
  /** A member's id, the hash of an address, or the name of one of several parts of a mail. */
  recipient: string;
  /** Sends the mail when its day has come, if it has to wait. */
  task: OutboxTask<'mail'>;
}

/** A mail that is being sent. */
export interface MailInHand extends Pick<MailDelivery, 'batch' | 'about' | 'held_until' | 'is_in_doubt'> {
  /**
   * Counts the mail. Called last before it is sent.
   * @param organization as it is then
   * @returns undefined when it may be sent; when the organization's limit is reached, or its mails are paused, how it
   *   waits
   */
  place: (
    organization: Pick<StoredOrganization, 'mail_limits' | 'mails_paused'>,
    limit: Parameters<typeof newPlace>[2],
    recipients?: { count?: number; areMembers?: boolean },
  ) => Promise<DeliveredMail | undefined>;
}

/**
 * Sends one recipient's mail once, even when several workers get the task or get it again. There is one exception:
 * when a worker dies while it sends, nobody knows whether the mail went out, and it is sent again. A mail beyond the
 * organization's limit waits, as does one whose address has to confirm first; later its task is given again.
 * @param send when it throws, the next attempt sends the mail
 * @param contents takes what the mail says, and the promises that it keeps
 * @returns what became of the mail, now or before; undefined when there was nothing to send
 * @throws Error what `send` throws; also while another worker sends this mail
 */
export const deliverOnce = async (
  caller: Caller,
  { mailId, recipient, task }: MailIdentity,
  send: (mail: MailInHand) => Promise<DeliveredMail>,
  contents: (now: string) => Promise<MailContents | undefined> = NO_MAIL_CONTENTS,
): Promise<DeliveredMail | undefined> => {
  const key = keys.mail(caller, mailId, recipient);
  const mail = mailJob(key);
  const taken = await change<MailDelivery | undefined>(caller, async (work) => {
    const row = await getRow(caller, key);
    if (row) return mail.hasEnded(row) ? { writes: [], reply: row } : mail.take(work, row);
    const found = await contents(work.now);
    if (!found) return NOTHING;
    const { writes, ...fresh } = found;
    return mail.takeNew(work, { ...NEW, ...fresh }, ...writes);
  });
  if (!taken) return undefined;
  if (mail.hasEnded(taken)) return outcomeOf(taken);
  let isToOthers = false;
  const place: MailInHand['place'] = async (
    organization,
    limit,
    { count = 1, areMembers = limit === 'to_members' } = {},
  ) => {
    isToOthers = !areMembers;
    if (organization.mails_paused && isToOthers)
      return {
        state: 'over_limit',
        reason: 'paused',
        send_after: lookedAtAgain(),
      };
    // A mail that has waited for its day has its place.
    if (taken.send_after !== undefined) return undefined;
    const send_after = await newPlace(caller, organization, limit, count);
    return send_after === null ? undefined : { state: 'over_limit', send_after };
  };
  let outcome: DeliveredMail;
  try {
    outcome = await send({ ...taken, place });
  } catch (error) {
    // Whatever fails here, the lease ends by itself.
    await change(caller, (work) => mail.release(work, taken)).catch(() => undefined);
    throw error;
  }
  const { state, detail, send_after, reason, held_for, about = taken.about, addresses } = outcome;
  const ends = { state, ...(about && { about }), ...(addresses && { addresses }) };
  if (send_after !== undefined) {
    const waits = { send_after, ...(reason && { reason }) };
    const mailbox = held_for === undefined ? undefined : mailboxOf(held_for);
    const waiting = { mail_id: mailId, recipient, task, ...waits, ...(mailbox !== undefined && { mailbox }) };
    // The time in which its address may confirm begins anew after a pause.
    const { held_until: _, ...unheld } = taken;
    await change(caller, (work) =>
      mail.save(
        work,
        reason === 'paused' ? unheld : taken,
        {
          ...ends,
          ...waits,
          ...(mailbox !== undefined && { held_until: send_after }),
          ttl: recordEnd(send_after),
        },
        ...waitingMail(work, waiting),
      ),
    );
    return outcome;
  }
  if (state === 'sent' && isToOthers) await countSent(caller);
  // The content of the mail is not kept.
  const { batch: _, ...record } = taken;
  await change(caller, (work) =>
    mail.save(
      work,
      record,
      { ...ends, ...(detail !== undefined && { detail }) },
      ...(state === 'sent' ? [countInMonth(work, mailId, { mails: addresses?.length ?? 1 })] : []),
    ),
  );
  return outcome;
};

/** The promises that a mail keeps, by the mail's task and recipient; none for a mail that is not known any more. */
export const subjectsOf = async (caller: Caller, mailId: string, recipient: string): Promise<MailSubject[]> =>
  (await getRow(caller, keys.mail(caller, mailId, recipient)))?.about ?? [];

const WAITING: Readonly<Record<WaitReason, string>> = {
  limit: 'the organization has sent as many mails today as it may',
  unconfirmed: 'the address has not confirmed that it wants mails',
  paused: 'the mails of the organization to people outside are paused',
};

/** The note of a mail's outcome. Undefined when a mail waits that was sent already. */
export const noteOf = (
  { state, detail, send_after, reason }: DeliveredMail,
  known: MailNote | undefined,
  at: string,
): MailNote | undefined => {
  if (state === 'sent') return { at, error: null };
  const error = detail ?? WAITING[reason ?? 'limit'];
  if (send_after === undefined) return { at, error };
  const isDone = known && known.send_after === undefined;
  return isDone ? undefined : { at, error, send_after, ...(reason && { reason }) };
};

/**
 * After this time a mail's task has failed for good, in milliseconds. The next notice then gives the worker a new one,
 * so that no mailbox stays full for ever.
 */
const OVERDUE_MS = 3_600_000;

/** What is put into a mailbox at once: items, and how many more there are. */
type Collected = Pick<Mailbox, 'items' | 'left_out'>;

/** The contents of a mailbox with further items. */
export const withItems = (known: Collected, items: readonly MailItem[]): Collected =>
  items.reduce<Collected>((all, item) => {
    const { items: next, left_out } = withItem(all.items, item);
    return { items: next, left_out: all.left_out + left_out };
  }, known);

/**
 * Puts notices into a recipient's mailbox, once however often their task is delivered. The first notice starts
 * a time, after which all notices in the mailbox are sent as one mail.
 * @param recipient a member's id, or the hash of an address
 * @param address null for a member
 * @param window how long the mail waits, in seconds
 */
export const collect = (
  caller: Caller,
  { recipient, address }: { recipient: string; address: string | null },
  mailId: string,
  added: Collected,
  window: number,
): Promise<void> =>
  change(caller, async (work) => {
    const noticeKey = keys.mail(work, mailId, recipient);
    const key = keys.mailbox(work, recipient);
    const [notice, mailbox] = await getRows(work, [noticeKey, key]);
    if (notice) return { writes: [], reply: undefined };
    const now = Date.parse(work.now);
    const { items, left_out } = withItems(
      { items: mailbox?.items ?? [], left_out: (mailbox?.left_out ?? 0) + added.left_out },
      added.items,
    );
    const isScheduled = mailbox !== undefined && now - mailbox.scheduled_at < window * 1_000 + OVERDUE_MS;
    const next: Mailbox = {
      batch_id: mailbox?.batch_id ?? uuidv7(),
      address,
      items,
      left_out,
      scheduled_at: isScheduled ? mailbox.scheduled_at : now,
      version: (mailbox?.version ?? 0) + 1,
    };
    const task: DigestTask = { what: 'digest', batch_id: next.batch_id, recipient };
    const row = { ...key, ...next };
    return {
      writes: [
        collectedMail(noticeKey, work.now),
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
