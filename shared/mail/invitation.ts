import type { Caller } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import { currentRequest } from '../base/request.ts';
import { standingOf, takesMailByHand } from '../db/addresses/addresses.ts';
import { type DeliveredMail, deliverOnce, countMail } from '../db/notifications/mails.ts';
import * as organizations from '../db/organization/organizations.ts';
import { open } from '../db/people/invitations.ts';
import type { InvitationTask } from '../db/table/tasks.ts';
import { senderName } from '../domain/notifications/mail.ts';
import { plainName } from '../domain/notifications/text.ts';
import { languageOf } from '../i18n/languages.ts';
import { fill } from '../i18n/plural.ts';
import { PAGE_TEXTS } from '../i18n/texts/pages.ts';
import { compose } from './compose.ts';
import type { MailPage } from './page.ts';
import { sendMail, overLimit, senderAddress } from './send.ts';

const WITHDRAWN: DeliveredMail = { state: 'refused', detail: 'there is no such invitation any more' };
const UNWANTED: DeliveredMail = { state: 'refused', detail: 'the address takes no mail' };

const invitationPage = (organization: string, locale: string, url: string): MailPage => {
  const language = languageOf(locale);
  const { invitation } = PAGE_TEXTS[language];
  const names = { organization };
  return {
    language,
    subject: fill(invitation.subject, names),
    organization,
    logo: null,
    paragraphs: [fill(invitation.text, names)],
    blocks: [],
    action: { label: invitation.accept, url },
    hints: [invitation.hint, fill(invitation.ignore, names)],
    reasons: [],
    stop: null,
  };
};

/**
 * Invites somebody to an organization, once however often the task is delivered. All texts are the service's own; the
 * organization chooses only its name.
 * @param taskId names the mail
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendInvitation = async (caller: Caller, taskId: string, task: InvitationTask): Promise<void> => {
  const sender = senderAddress();
  if (sender === undefined) return;
  await deliverOnce(caller, taskId, task.user_id, async () => {
    const opened = await open(caller, task);
    if (!opened) return WITHDRAWN;
    const { email, token } = opened;
    if (!takesMailByHand(await standingOf(caller, email))) return UNWANTED;
    if (!(await countMail(caller, false))) return overLimit(caller);
    const { name, locale } = await organizations.get(caller);
    const organization = plainName(name);
    const message = await compose({
      from: { name: senderName(organization), address: sender },
      to: [{ name: '', address: email }],
      replyTo: null,
      page: invitationPage(organization, locale, publicUrl('app', `sign-in?invitation=${token}`)),
      logo: undefined,
      requestId: currentRequest()?.requestId,
    });
    return sendMail(message, [email], { org_id: caller.org_id });
  });
};
