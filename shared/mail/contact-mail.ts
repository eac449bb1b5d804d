import type { Caller } from '../base/caller.ts';
import { currentRequest } from '../base/request.ts';
import { confirmedReplyTo, standingOf, takesMailByHand } from '../db/addresses/addresses.ts';
import type { DeliveredMail, MailIdentity, MailInHand } from '../db/notifications/mails.ts';
import * as organizations from '../db/organization/organizations.ts';
import type { StoredOrganization } from '../db/table/entities/organization.ts';
import { type MailReader, readerOf } from '../domain/mail/reader.ts';
import { fill } from '../i18n/plural.ts';
import { compose, type InlineImage, LOGO_ID } from './compose.ts';
import type { MailPage } from './page.ts';
import { logoOf, sendMail, senderOf, stopUrl } from './send.ts';

const UNWANTED: DeliveredMail = { state: 'refused', detail: 'the address takes no mails' };
const NO_SENDER: DeliveredMail = { state: 'refused', detail: 'there is no address to send from' };

/** What a mail to a contact says. */
export interface ContactLetter extends Pick<MailPage, 'subject' | 'paragraphs' | 'blocks' | 'action'> {
  images: readonly InlineImage[];
  /** Why the contact gets the mail. */
  reason: string;
  /** When the first of its links ends, ISO 8601. */
  expires_at: string;
}

/**
 * Sends a mail to a contact outside the organization, in the organization's language, unless its address takes no mails
 * or the mail has to wait.
 * @param letter writes it, once it is known that it is sent
 */
export const mailContact = async (
  caller: Caller,
  contact: { name: string | null; email: string },
  { mailId, recipient }: Pick<MailIdentity, 'mailId' | 'recipient'>,
  place: MailInHand['place'],
  letter: (organization: StoredOrganization, reader: MailReader) => Promise<ContactLetter>,
): Promise<DeliveredMail> => {
  const organization = await organizations.get(caller);
  const from = senderOf(organization);
  if (!from) return NO_SENDER;
  if (!takesMailByHand(await standingOf(caller, contact.email))) return UNWANTED;
  const wait = await place(organization, 'to_others');
  if (wait) return wait;
  const reader = readerOf(organization);
  const { images, expires_at, reason, ...content } = await letter(organization, reader);
  const [logo, stop] = await Promise.all([logoOf(caller, organization), stopUrl(caller, contact.email)]);
  const { texts, date } = reader;
  const message = await compose({
    from,
    to: [{ name: contact.name ?? '', address: contact.email }],
    replyTo: await confirmedReplyTo(caller, organization),
    page: {
      language: reader.language,
      organization: organization.name,
      logo: logo ? LOGO_ID : null,
      ...content,
      hints: [fill(texts.contactLink.hint, { date: date(expires_at) })],
      reasons: [reason],
      stop: { label: texts.stop, url: stop },
    },
    logo,
    images,
    requestId: currentRequest()?.requestId,
  });
  return sendMail(message, [contact.email], { org_id: caller.org_id, mail_id: mailId, recipient });
};
