import type { Caller } from '../base/caller.ts';
import { optionalEnvironment } from '../base/environment.ts';
import { currentRequest } from '../base/request.ts';
import { type Delivered, deliverOnce } from '../db/notifications/deliveries.ts';
import { countMail } from '../db/notifications/mail-limits.ts';
import { membersToMail } from '../db/notifications/mail-members.ts';
import type { MailTask } from '../db/notifications/notify.ts';
import * as organizations from '../db/organization/organizations.ts';
import { sha256 } from '../db/table/keys.ts';
import { mailRecipients, mailText, senderName } from '../domain/notifications/mail.ts';
import { logLine } from '../http/log.ts';
import { compose } from './compose.ts';
import { sendMail } from './send.ts';

let isLogged = false;

/** Logged once per function instance, and not with every task. */
const logMissingSender = (): void => {
  if (!isLogged) logLine('info', { message: 'no mails are sent, because the deployment sets no mailFrom' });
  isLogged = true;
};

const overLimit = ({ org_id }: Caller): Delivered => {
  logLine('error', { message: 'the organization has sent as many mails today as it may', org_id });
  return 'over_limit';
};

/**
 * Sends a notice to each recipient once, however often the task is delivered. A mail beyond the organization's limit of
 * the day is not sent at all; members still find the notice in their notifications. A deployment without an address to send
 * from sends nothing.
 * @throws AggregateError when some mails could not be sent; the next attempt sends only these
 */
export const mailNotice = async (caller: Caller, task: MailTask): Promise<void> => {
  const address = optionalEnvironment('MAIL_FROM');
  if (!address) return logMissingSender();
  const { name: organization, reply_to_email: replyTo } = await organizations.get(caller);
  const from = { name: senderName(organization), address };
  const members = await membersToMail(caller, task.user_ids, task.kind);
  const failures: unknown[] = [];
  for (const { user_id, footer, ...to } of mailRecipients(organization, members, task.emails)) {
    const id = user_id ?? sha256(to.address.toLowerCase());
    const requestId = currentRequest()?.requestId;
    const send = async () => {
      if (!(await countMail(caller, user_id !== null))) return overLimit(caller);
      return sendMail(await compose({ from, to, replyTo, requestId, ...mailText(task, footer) }));
    };
    await deliverOnce(caller, task.notification_id, id, send).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} mails were not sent`);
};
