import type { Caller } from '../base/caller.ts';
import { publicUrl } from '../base/environment.ts';
import { fill } from '../base/i18n/plural.ts';
import { PAGE_TEXTS } from '../base/i18n/texts/pages.ts';
import type { MailReader } from '../domain/mail/reader.ts';
import { shortName } from '../domain/notifications/text.ts';
import { signatureDetails } from '../forms/signature/details.ts';
import { openSignatureMail, type SignatureMail } from '../inspections/answers/signature-links.ts';
import { type DeliveredMail, deliverOnce, noteOf } from '../notices/mails.ts';
import type { OutboxTask } from '../table/entities/machinery.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import type { SignatureLinkTask } from '../table/tasks.ts';
import { type ContactLetter, mailContact } from './contact-mail.ts';
import { newBlock } from './page.ts';
import { notePromise } from './promises.ts';

const ENDED: DeliveredMail = { state: 'refused', detail: 'the link had ended before it was sent' };

/** The recipient under which the mail of a link is known. */
const RECIPIENT = 'witness';

/** What the mail says, in the organization's language. */
const letterOf = async (
  caller: Caller,
  organization: StoredOrganization,
  { texts, language, dayIn }: MailReader,
  { link, inspection, asker, newToken }: SignatureMail,
): Promise<ContactLetter> => {
  const { sign, mail } = PAGE_TEXTS[language].signature;
  const names = { organization: organization.name };
  return {
    subject: fill(texts.subject, { name: organization.name, what: sign }),
    paragraphs: [fill(mail.text, names)],
    blocks: [
      newBlock({
        title: shortName(inspection.name),
        facts: await signatureDetails(caller, language, dayIn, inspection, organization, asker),
      }),
    ],
    action: { label: mail.open, url: publicUrl('w', await newToken()) },
    images: [],
    reason: fill(mail.reason, names),
    expires_at: link.expires_at,
  };
};

/**
 * Mails a witness the link by which they sign, once however often the task is delivered, and notes on the link what
 * became of the mail. A link that has ended meanwhile is not sent.
 * @param row sends the mail, if it has to wait
 * @throws Error when the mail could not be sent; the next attempt sends it
 */
export const sendSignatureLink = async (
  caller: Caller,
  row: OutboxTask<'mail'>,
  task: SignatureLinkTask,
): Promise<void> => {
  const identity = { mailId: task.link_id, recipient: RECIPIENT, task: row };
  const outcome = await deliverOnce(
    caller,
    identity,
    async ({ place }) => {
      const opened = await openSignatureMail(caller, task);
      if (!opened) return ENDED;
      return mailContact(caller, opened.link, identity, place, (organization, reader) =>
        letterOf(caller, organization, reader, opened),
      );
    },
    async () => ({ about: [task], writes: [] }),
  );
  if (outcome) await notePromise(caller, task, (known, now) => noteOf(outcome, known, now));
};
