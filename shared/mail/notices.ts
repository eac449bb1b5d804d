import type { Caller } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import { optionalEnvironment } from '../base/environment.ts';
import { currentRequest } from '../base/request.ts';
import {
  question,
  standingOf,
  standingsOf,
  takesMailByHand,
  takesStandingMail,
} from '../db/addresses/addresses.ts';
import * as members from '../db/members/members.ts';
import { type Delivered, deliverOnce } from '../db/notifications/deliveries.ts';
import { countMail } from '../db/notifications/mail-limits.ts';
import { membersToMail } from '../db/notifications/mail-members.ts';
import { collect, takeBatch } from '../db/notifications/mailboxes.ts';
import * as organizations from '../db/organization/organizations.ts';
import { confirmedReplyTo } from '../db/organization/reply-to.ts';
import { change } from '../db/table/change.ts';
import type { MailBatch, StoredOrganization } from '../db/table/entities.ts';
import type { DigestTask, NoticeTask } from '../db/table/tasks.ts';
import { type Reader, readerOf } from '../domain/mail/reader.ts';
import { canReceiveMail, mailRecipients } from '../domain/notifications/mail.ts';
import { fill } from '../i18n/plural.ts';
import { type Address, compose, LOGO_ID } from './compose.ts';
import { digest } from './digest.ts';
import type { MailPage } from './page.ts';
import { sendMail } from './send.ts';
import { logoOf, overLimit, senderAddress, senderOf, stopUrl } from './sender.ts';
import { surroundingsOf } from './surroundings.ts';

/** How long a mail waits for what else happens, where the deployment says nothing else, in seconds. */
const DEFAULT_WINDOW = 300;

/** SQS holds a task back no longer than this, in seconds (Amazon SQS, "Message timers"). */
const MAX_WINDOW = 900;

const windowSeconds = (): number => {
  const seconds = Number(optionalEnvironment('MAIL_WINDOW_SECONDS') ?? DEFAULT_WINDOW);
  return Math.min(Math.max(0, seconds), MAX_WINDOW);
};

/**
 * Puts a notice into the mailbox of each recipient, once however often the task is delivered. Addresses that bounced for
 * good, complained or have stopped the mails get none. An address that is no member's gets none before it has agreed; the
 * first notice lets it be asked. A deployment without an address to send from collects nothing.
 * @throws AggregateError when some mailboxes could not be written; the next attempt does only these
 */
export const collectNotice = async (caller: Caller, task: NoticeTask): Promise<void> => {
  if (senderAddress() === undefined) return;
  const recipients = mailRecipients(await membersToMail(caller, task.user_ids, task.kind), task.emails);
  const standings = await standingsOf(
    caller,
    recipients.map(({ address }) => address),
  );
  const failures: unknown[] = [];
  for (const [position, { user_id, address }] of recipients.entries()) {
    const standing = standings[position]!;
    if (user_id === null && standing.canBeAsked) {
      await change(caller, (work) => ({ writes: [question(work, address)], reply: undefined }));
    }
    if (!(user_id === null ? takesStandingMail : takesMailByHand)(standing)) continue;
    const mailbox =
      user_id === null
        ? { recipient: sha256(address.toLowerCase()), address }
        : { recipient: user_id, address: null };
    await collect(caller, mailbox, task.mail_id, task.item, windowSeconds()).catch((error: unknown) =>
      failures.push(error),
    );
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} mails were not collected`);
};

/** Who gets a mail, how they read, and what the mail says about why. */
interface Recipient {
  to: Address;
  isMember: boolean;
  reader: Reader;
  reasons: string[];
  stop: MailPage['stop'];
}

const toMember = async (
  caller: Caller,
  organization: StoredOrganization,
  userId: string,
): Promise<Recipient | undefined> => {
  const member = await members.find(caller, userId);
  if (!member || !canReceiveMail(member)) return undefined;
  const reader = readerOf(organization, member);
  return {
    to: { name: member.name, address: member.email },
    isMember: true,
    reader,
    reasons: [fill(reader.texts.memberReason, { organization: organization.name }), reader.texts.memberStop],
    stop: null,
  };
};

const toAddress = async (
  caller: Caller,
  organization: StoredOrganization,
  address: string,
): Promise<Recipient | undefined> => {
  if (!takesStandingMail(await standingOf(caller, address))) return undefined;
  const reader = readerOf(organization);
  return {
    to: { name: '', address },
    isMember: false,
    reader,
    reasons: [fill(reader.texts.addressReason, { organization: organization.name })],
    stop: { label: reader.texts.stop, url: await stopUrl(caller, address) },
  };
};

const sendBatch = async (
  caller: Caller,
  userId: string,
  { address, items, left_out }: MailBatch,
): Promise<Delivered> => {
  const organization = await organizations.get(caller);
  const from = senderOf(organization);
  const recipient =
    address === null
      ? await toMember(caller, organization, userId)
      : await toAddress(caller, organization, address);
  // Whoever has left by now gets nothing.
  if (!from || !recipient) return { state: 'refused', detail: 'there is nobody to send it to, or from' };
  if (!(await countMail(caller, recipient.isMember))) return overLimit(caller);
  const { reader, to, reasons, stop } = recipient;
  const [surroundings, logo] = await Promise.all([
    surroundingsOf(caller, items),
    logoOf(caller, organization),
  ]);
  const page: MailPage = {
    language: reader.language,
    organization: organization.name,
    logo: logo ? LOGO_ID : null,
    paragraphs: [],
    ...digest(items, left_out, surroundings, reader),
    reasons,
    stop,
  };
  const message = await compose({
    from,
    to: [to],
    replyTo: await confirmedReplyTo(caller, organization),
    page,
    logo,
    requestId: currentRequest()?.requestId,
  });
  return sendMail(message, [to.address], { org_id: caller.org_id });
};

/**
 * Sends what a mailbox has collected as one mail, once however often the task is delivered. A mail beyond the
 * organization's limit of the day is not sent at all; members still find the notices in their notifications.
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendDigest = async (caller: Caller, task: DigestTask): Promise<void> => {
  await deliverOnce(
    caller,
    task.batch_id,
    task.recipient,
    (batch) => sendBatch(caller, task.recipient, batch!),
    () => takeBatch(caller, task),
  );
};
