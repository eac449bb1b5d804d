import type { Caller } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import { currentRequest } from '../base/request.ts';
import { standingOf, takesMailByHand } from '../db/addresses/addresses.ts';
import { type DeliveredMail, deliverOnce } from '../db/notifications/mails.ts';
import * as organizations from '../db/organization/organizations.ts';
import type { OutboxTask } from '../db/table/entities/machinery.ts';
import type { AccessTask } from '../db/table/tasks.ts';
import { readerOf } from '../domain/mail/reader.ts';
import { senderName } from '../domain/notifications/mail.ts';
import { plainName } from '../domain/notifications/text.ts';
import { fill } from '../i18n/plural.ts';
import { compose } from './compose.ts';
import type { MailPage } from './page.ts';
import { senderAddress, sendMail } from './send.ts';

const NOBODY: DeliveredMail = { state: 'refused', detail: 'there is nobody to send it to, or from' };

const accessPage = (
  stored: Awaited<ReturnType<typeof organizations.get>>,
  { event, to, member, former = '', until, actor }: AccessTask,
): MailPage => {
  const { language, texts, dateTime } = readerOf(stored, to);
  const { access, labels } = texts;
  const organization = plainName(stored.name);
  const names = {
    organization,
    member: plainName(member),
    former: plainName(former),
    date: until === undefined ? '' : dateTime(until),
  };
  return {
    language,
    subject: fill(access.subject, names),
    organization,
    logo: null,
    paragraphs: [
      fill(access.events[event], names),
      `${labels.by}: ${actor === null ? access.operator : plainName(actor)}`,
    ],
    blocks: [],
    action: event === 'owner_named' ? { label: access.open, url: publicUrl('admin', 'organization') } : null,
    hints: [access.hint],
    reasons: [fill(access.reason, names)],
    stop: null,
  };
};

/**
 * Tells an owner or admin of a change of the owner or the admins, once however often the task is delivered. Nobody can
 * switch these mails off. All texts are the service's own.
 * @param row names the mail
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendAccessMail = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  task: AccessTask,
): Promise<void> => {
  const { user_id: recipient, name, email } = task.to;
  await deliverOnce(caller, { mailId: row.id, recipient, task: row }, async ({ place }) => {
    const address = senderAddress();
    if (address === undefined || email === '') return NOBODY;
    if (!takesMailByHand(await standingOf(caller, email))) return NOBODY;
    const stored = await organizations.get(caller);
    const wait = await place(stored, 'to_members');
    if (wait) return wait;
    const message = await compose({
      from: { name: senderName(plainName(stored.name)), address },
      to: [{ name, address: email }],
      replyTo: null,
      page: accessPage(stored, task),
      logo: undefined,
      requestId: currentRequest()?.requestId,
    });
    return sendMail(message, [email], { org_id: caller.org_id });
  });
};
