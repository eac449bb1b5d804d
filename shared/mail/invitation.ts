import type { Caller, PersonRole } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import type { Language } from '../base/i18n/languages.ts';
import { fill } from '../base/i18n/plural.ts';
import { ADMIN_TEXTS } from '../base/i18n/texts/admin.ts';
import { PAGE_TEXTS } from '../base/i18n/texts/pages.ts';
import { readerOf } from '../domain/mail/reader.ts';
import { plainName } from '../domain/notifications/text.ts';
import { type DeliveredMail, deliverOnce, noteOf } from '../notices/mails.ts';
import { standingOf, takesMailByHand } from '../organizations/addresses/addresses.ts';
import * as organizations from '../organizations/organizations.ts';
import { open, type OpenInvitation } from '../organizations/people/invitations.ts';
import type { OutboxTask } from '../table/entities/machinery.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import type { InvitationTask } from '../table/tasks.ts';
import { NO_SENDER, type Letter } from './letter.ts';
import { plainOrganization, sendOutside } from './outside.ts';
import { type Block, newBlock } from './page.ts';
import { notePromise } from './promises.ts';
import { senderAddress } from './send.ts';

const WITHDRAWN: DeliveredMail = { state: 'refused', detail: 'there is no such invitation any more' };
const UNWANTED: DeliveredMail = { state: 'refused', detail: 'the address takes no mail' };

/** Who invites, and to what. */
const blockOf = (
  { name }: StoredOrganization,
  { member, invitation: { invited_by } }: OpenInvitation,
  language: Language,
): Block => {
  const { members, invitations } = ADMIN_TEXTS[language];
  return newBlock({
    title: name,
    status: fill(invitations.from, { name: plainName(invited_by) }),
    facts: [[members.role, members[member.role as PersonRole]]],
  });
};

const letterOf = (organization: StoredOrganization, opened: OpenInvitation, url: string): Letter => {
  const { language } = readerOf(organization, opened.member);
  const texts = PAGE_TEXTS[language].invitation;
  const names = { organization: organization.name };
  return {
    language,
    subject: fill(texts.subject, names),
    paragraphs: [fill(texts.text, names)],
    blocks: [blockOf(organization, opened, language)],
    action: { label: texts.open, url },
    hints: [texts.hint, fill(texts.ignore, names)],
    reasons: [],
    isOurs: true,
  };
};

/**
 * Invites somebody to an organization, once however often the task is delivered, and notes on the member what became of
 * the mail. All texts are the service's own; the organization chooses only its name, and who invites theirs.
 * @param row names the mail
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendInvitation = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  task: InvitationTask,
): Promise<void> => {
  const [mailId, recipient] = [row.id, task.user_id];
  const outcome = await deliverOnce(
    caller,
    { mailId, recipient, task: row },
    async ({ place }) => {
      if (senderAddress() === undefined) return NO_SENDER;
      const opened = await open(caller, task);
      if (!opened) return WITHDRAWN;
      const { member, newToken } = opened;
      const { email } = member;
      if (!takesMailByHand(await standingOf(caller, email))) return UNWANTED;
      const stored = await organizations.get(caller);
      const wait = await place(stored, 'to_others');
      if (wait) return wait;
      const organization = plainOrganization(stored);
      const url = publicUrl('app', `sign-in?invitation=${await newToken()}`);
      const letter = letterOf(organization, opened, url);
      const tags = { mail_id: mailId, recipient };
      return sendOutside(caller, organization, { name: '', address: email }, letter, tags);
    },
    async () => ({ about: [task], writes: [] }),
  );
  if (outcome) await notePromise(caller, task, (known, now) => noteOf(outcome, known, now));
};
