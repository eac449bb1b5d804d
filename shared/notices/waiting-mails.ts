import type { Caller } from '../base/caller.ts';
import { mailboxOf } from '../base/text.ts';
import { dayOf, keptFrom, timeAfter } from '../base/time.ts';
import { answer } from '../organizations/addresses/addresses.ts';
import { DEFAULT_MAIL_LIMITS, type WaitReason } from '../schemas/mail.ts';
import { change, NOTHING, type Work } from '../table/change.ts';
import { exists } from '../table/conditions.ts';
import type { HeldMail, MailDelivery, WaitingMail } from '../table/entities/machinery.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import { job, Overtaken } from '../table/job.ts';
import { type Key, keys } from '../table/keys.ts';
import { dueAt, dueRowsInTurns } from '../table/outbox/due.ts';
import { actorOf, enqueueAgain } from '../table/outbox/outbox.ts';
import { Sweep } from '../table/outbox/sweep.ts';
import { countRows, getRow, getRows, queryRows, withoutKeys } from '../table/rows.ts';
import { nextNumbers } from '../table/single-write.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/*
 * A mail waits for its day, for its address to confirm, or while the organization's mails are paused. An organization may
 * send so many mails a day. A mail beyond that gets a place on the first day that has one, and
 * waits: its own row keeps what it says, and a row beside it keeps the task that sends it and is found when the day has
 * come. Then one transaction deletes that row, lets the mail be taken, and gives the task to its worker. Whatever may
 * forbid the mail is looked at again by the worker. A mail that waits for something else has its row as well, with a day
 * on which the worker looks at it in any case: then it gives up an address that has not confirmed. A further row leads
 * from the mailbox to it, so that the answer lets it go at once.
 */

/** How long a worker may hold a mail, in milliseconds: longer than it runs, so that no two ever send the same mail. */
const LEASE_MS = 90_000;

/** How long the record of a mail is kept, in seconds: longer than any queue keeps its task. */
const KEPT_SECONDS = 30 * 86_400;

/** When the record of a mail may be deleted, in epoch seconds. @param from ISO 8601 */
export const recordEnd = (from: string): number => Math.floor(Date.parse(from) / 1_000) + KEPT_SECONDS;

/** A mail to one recipient, as a job. */
export const mailJob = (key: Key<MailDelivery>) =>
  job<MailDelivery>({
    key: () => key,
    row: (_, mail) => ({ ...mail, ...key }),
    hasEnded: ({ state }) => state !== 'sending',
    guard: ['version', 'state'],
    begun: ({ version, leased_until }, now) => ({
      state: 'sending',
      version: version + 1,
      ttl: recordEnd(now),
      // Whoever lets go of a mail ends its lease.
      ...(leased_until > 0 && { is_in_doubt: true }),
    }),
    lease: LEASE_MS,
    lost: () => new Overtaken('another worker is sending this mail'),
  });

/** The record of what stands in the mail of something else. */
export const collectedMail = (key: Key<MailDelivery>, now: string): Write =>
  write.create<MailDelivery>({
    ...key,
    state: 'collected',
    leased_until: 0,
    version: 1,
    ttl: recordEnd(now),
  });

const DAY_MS = 86_400_000;

/** How long a day's number is kept, in seconds: longer than the day. */
const DAY_COUNT_SECONDS = 2 * 86_400;

/** The rows that count the mails of a day, by the limit that they keep. */
const COUNTED = { to_members: 'MEMBERS', to_others: 'OTHERS', report_recipients: 'REPORTS' } as const;

/** How many mails an organization may send in a day. */
export const limitsOf = ({ mail_limits }: Pick<StoredOrganization, 'mail_limits'>) => ({
  ...DEFAULT_MAIL_LIMITS,
  ...mail_limits,
});

/**
 * Gives a mail a place on the first day, from today, that has room for it. Two calls, however many mails wait: the
 * number that a full day gives says how many days the mails before it fill.
 * @param count places that it needs
 * @returns null when it may be sent today; else the beginning of its day
 */
export const newPlace = async (
  caller: Caller,
  organization: Pick<StoredOrganization, 'mail_limits'>,
  limit: keyof typeof COUNTED,
  count: number,
): Promise<string | null> => {
  const most = limitsOf(organization)[limit];
  // A mail that needs more than a day has takes all of it.
  const needed = Math.min(count, most);
  const now = new Date().toISOString();
  for (let days = 0; ;) {
    const day = dayOf(timeAfter(now, days * DAY_MS));
    const begin = `${day}T00:00:00.000Z`;
    const key = keys.mailCount(caller, day, COUNTED[limit]);
    const last = (await nextNumbers(caller, key, needed, keptFrom(begin, DAY_COUNT_SECONDS))) + needed - 1;
    if (last <= most) return days === 0 ? null : begin;
    days += Math.floor((last - 1) / most);
  }
};

/** When a mail is looked at again that waits because mails are paused: should its release miss it, it is late by a day. */
export const lookedAtAgain = (): string => timeAfter(new Date().toISOString(), DAY_MS);

const heldKey = (
  caller: Caller,
  mailbox: string,
  { mail_id, recipient }: Pick<WaitingMail, 'mail_id' | 'recipient'>,
) => keys.heldMail(caller, mailbox, mail_id, recipient);

/** The rows of a mail that waits. Its mail's own row changes in the same transaction. */
export const waitingMail = (work: Work, mail: Omit<WaitingMail, 'org_id'>): Write[] => {
  const { mail_id, recipient, send_after, mailbox } = mail;
  const row = write.create<WaitingMail>({
    ...keys.waitingMail(work, mail_id, recipient),
    ...mail,
    org_id: work.org_id,
    ...dueAt('MAIL', mail_id, send_after),
  });
  if (mailbox === undefined) return [row];
  const held = { mail_id, recipient, send_after, ttl: recordEnd(send_after) };
  return [row, write.put<HeldMail>({ ...heldKey(work, mailbox, mail), ...held })];
};

/**
 * Gives the task of a mail that waits to its worker.
 * @param keepsPlace whether the mail keeps the place that it has, if it has one; otherwise it looks for one from today
 */
const resume = (
  caller: Caller,
  { mail_id, recipient, send_after }: Pick<WaitingMail, 'mail_id' | 'recipient' | 'send_after'>,
  keepsPlace: boolean,
): Promise<void> =>
  change(caller, async (work) => {
    const waitingKey = keys.waitingMail(work, mail_id, recipient);
    const mailKey = keys.mail(work, mail_id, recipient);
    const [found, mail] = await getRows(work, [waitingKey, mailKey]);
    if (!found || !mail || found.send_after !== send_after) return NOTHING;
    const { send_after: place, reason, ...unplaced } = withoutKeys(mail);
    const isPlaced = keepsPlace && reason === undefined;
    const next = { ...unplaced, ...(isPlaced && { send_after: place }) };
    return {
      writes: [
        write.remove(waitingKey, exists),
        ...(found.mailbox === undefined ? [] : [write.drop(heldKey(work, found.mailbox, found))]),
        ...mailJob(mailKey).release(work, next, { state: 'sending' }).writes,
        enqueueAgain(work, found.task),
      ],
      reply: undefined,
    };
  });

/**
 * Has the mails sent whose day has come. No organization waits for another.
 * @param time how long to begin new work, in milliseconds
 * @returns why organizations have to wait for the next sweep
 */
export const sendDueMails = async (now: Date, time: number): Promise<unknown[]> => {
  const sweep = new Sweep<WaitingMail>(
    time,
    () => 'mail',
    async (mails) => {
      for (const mail of mails) await resume(actorOf(mail.task), mail, true);
    },
  );
  for await (const mails of dueRowsInTurns('MAIL', now)) {
    await sweep.serve(mails);
    if (sweep.isOver) break;
  }
  return sweep.delays.map(({ error }) => error);
};

/** How many mails of an organization wait. One call for each megabyte of them. @param most where counting ends */
export const countWaiting = (caller: Caller, most?: number): Promise<number> =>
  countRows(caller, { partition: keys.waitingMail.partition(caller) }, most);

/**
 * Has the mails of an organization that wait for this look for a place from today, because its limits have changed, or
 * its mails are no longer paused.
 */
export const placeAnew = async (
  caller: Caller,
  waitsFor: Exclude<WaitReason, 'unconfirmed'>,
): Promise<void> => {
  for await (const mail of queryRows(caller, { partition: keys.waitingMail.partition(caller) })) {
    if ((mail.reason ?? 'limit') === waitsFor) await resume(actorOf(mail.task), mail, false);
  }
};

/** Whether a mail waits that was not sent yet. One call of the table. */
export const isWaiting = async (caller: Caller, mailId: string, recipient: string): Promise<boolean> =>
  (await getRow(caller, keys.mail(caller, mailId, recipient)))?.state === 'over_limit';

/** Lets the mails go that wait for the answer of an address. Their worker reads the answer. */
export const releaseHeld = async (caller: Caller, address: string): Promise<void> => {
  const partition = keys.heldMail.partition(caller, mailboxOf(address));
  for await (const mail of queryRows(caller, { partition })) await resume(caller, mail, false);
};

/** Notes the answer of an address's owner, and lets the mails go that have waited for it. */
export const takeAnswer = async (
  caller: Caller,
  address: string,
  given: 'confirmed' | 'refused',
): Promise<void> => {
  await answer(caller, address, given);
  await releaseHeld(caller, address);
};
