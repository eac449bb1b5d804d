import type { Caller } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import { currentRequest } from '../base/request.ts';
import { standingOf, takesMailByHand } from '../db/addresses/addresses.ts';
import { type DeliveredMail, deliverOnce, noteOf } from '../db/notifications/mails.ts';
import * as organizations from '../db/organization/organizations.ts';
import { open } from '../db/people/invitations.ts';
import type { OutboxTask } from '../db/table/entities/machinery.ts';
import type { InvitationTask } from '../db/table/tasks.ts';
import { senderName } from '../domain/notifications/mail.ts';
import { plainName } from '../domain/notifications/text.ts';
import { languageOf } from '../i18n/languages.ts';
import { fill } from '../i18n/plural.ts';
import { PAGE_TEXTS } from '../i18n/texts/pages.ts';
import { compose } from './compose.ts';
import type { MailPage } from './page.ts';
import { notePromise } from './promises.ts';
import { sendMail, senderAddress } from './send.ts';

const WITHDRAWN: DeliveredMail = { state: 'refused', detail: 'there is no such invitation any more' };
const UNWANTED: DeliveredMail = { state: 'refused', detail: 'the address takes no mail' };
const NO_SENDER: DeliveredMail = { state: 'refused', detail: 'there is no address to send from' };

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
    action: { label: invitation.open, url },
    hints: [invitation.hint, fill(invitation.ignore, names)],
    reasons: [],
    stop: null,
  };
};

/**
 * Invites somebody to an organization, once however often the task is delivered, and notes on the member what became of
 * the mail. All texts are the service's own; the organization chooses only its name.
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
      const address = senderAddress();
      if (address === undefined) return NO_SENDER;
      const opened = await open(caller, task);
      if (!opened) return WITHDRAWN;
      const { email, newToken } = opened;
      if (!takesMailByHand(await standingOf(caller, email))) return UNWANTED;
      const stored = await organizations.get(caller);
      const wait = await place(stored, 'to_others');
      if (wait) return wait;
      const organization = plainName(stored.name);
      const url = publicUrl('app', `sign-in?invitation=${await newToken()}`);
      const message = await compose({
        from: { name: senderName(organization), address },
        to: [{ name: '', address: email }],
        replyTo: null,
        page: invitationPage(organization, stored.locale, url),
        logo: undefined,
        requestId: currentRequest()?.requestId,
      });
      return sendMail(message, [email], { org_id: caller.org_id, mail_id: mailId, recipient });
    },
    async () => ({ about: [task], writes: [] }),
  );
  if (outcome) await notePromise(caller, task, (known, now) => noteOf(outcome, known, now));
};
