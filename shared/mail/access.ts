import type { Caller } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import { fill } from '../base/i18n/plural.ts';
import { readerOf } from '../domain/mail/reader.ts';
import { plainName } from '../domain/notifications/text.ts';
import { type DeliveredMail, deliverOnce } from '../notices/mails.ts';
import { standingOf, takesMailByHand } from '../organizations/addresses/addresses.ts';
import * as organizations from '../organizations/organizations.ts';
import type { OutboxTask } from '../table/entities/machinery.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import type { AccessTask } from '../table/tasks.ts';
import { type Letter, sendLetter } from './letter.ts';
import { plainOrganization } from './outside.ts';
import { senderAddress } from './send.ts';

const NOBODY: DeliveredMail = { state: 'refused', detail: 'there is nobody to send it to, or from' };

const letterOf = (
  organization: StoredOrganization,
  { event, to, member, former = '', until, actor }: AccessTask,
): Letter => {
  const { language, texts, dateTime } = readerOf(organization, to);
  const { access, labels } = texts;
  const names = {
    organization: organization.name,
    member: plainName(member),
    former: plainName(former),
    date: until === undefined ? '' : dateTime(until),
  };
  return {
    language,
    subject: fill(access.subject, names),
    paragraphs: [
      fill(access.events[event], names),
      `${labels.by}: ${actor === null ? access.operator : plainName(actor)}`,
    ],
    blocks: [],
    action: event === 'owner_named' ? { label: access.open, url: publicUrl('admin', 'organization') } : null,
    hints: [access.hint],
    reasons: [fill(access.reason, names)],
    isOurs: true,
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
    if (senderAddress() === undefined || email === '') return NOBODY;
    if (!takesMailByHand(await standingOf(caller, email))) return NOBODY;
    const stored = await organizations.get(caller);
    const wait = await place(stored, 'to_members');
    if (wait) return wait;
    const organization = plainOrganization(stored);
    return sendLetter(caller, organization, { name, address: email }, letterOf(organization, task), null);
  });
};
