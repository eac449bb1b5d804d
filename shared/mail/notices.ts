import type { Caller } from '../base/caller.ts';
import { optionalEnvironment } from '../base/environment.ts';
import { deliverOnce } from '../db/notifications/deliveries.ts';
import { mailable, type MailTask } from '../db/notifications/notifications.ts';
import * as organizations from '../db/organization/organizations.ts';
import { sha256 } from '../db/table/keys.ts';
import { logLine } from '../http/observe.ts';
import { type Address, compose } from './compose.ts';
import { sendMail } from './send.ts';

interface Recipient {
  /** By whom, or what, it is known that the mail was sent. */
  id: string;
  to: Address;
  why: string;
}

/** Who is mailed, no address twice. */
const recipientsOf = async (
  caller: Caller,
  { kind, user_ids, emails }: MailTask,
  organization: string,
): Promise<Recipient[]> => {
  const members = await mailable(caller, user_ids, kind);
  const recipients = new Map<string, Recipient>();
  for (const { user_id: id, name, email: address } of members) {
    const why = `You are told of this as a member of ${organization}; your notification preferences have it under ${kind}.`;
    recipients.set(address.toLowerCase(), { id, to: { name, address }, why });
  }
  const why = `${organization} has set this address to be told.`;
  for (const address of emails) {
    const folded = address.toLowerCase();
    if (!recipients.has(folded)) {
      recipients.set(folded, { id: sha256(folded), to: { name: '', address }, why });
    }
  }
  return [...recipients.values()];
};

let hasSaid = false;

/** Said once by each function, not with each of thousands of tasks. */
const sayThatNothingIsSent = (): void => {
  if (!hasSaid) logLine('info', { message: 'no mail is sent: the deployment has no mailFrom' });
  hasSaid = true;
};

/**
 * Mails a notification to each of its recipients, once however often the task is delivered. Where the deployment
 * has no address to mail from, nothing is sent.
 * @throws AggregateError when some could not be reached, for another attempt at these
 */
export const mailNotice = async (caller: Caller, task: MailTask): Promise<void> => {
  const address = optionalEnvironment('MAIL_FROM');
  if (!address) return sayThatNothingIsSent();
  const { name, reply_to_email: replyTo } = await organizations.get(caller);
  const failures: unknown[] = [];
  for (const { id, to, why } of await recipientsOf(caller, task, name)) {
    const { title: subject, note, notification_id } = task;
    const paragraphs = [subject, ...(note ? [note] : []), why];
    const send = async () =>
      sendMail(await compose({ from: { name, address }, to, replyTo, subject, paragraphs }));
    await deliverOnce(caller, notification_id, id, send).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} mails were not sent`);
};
