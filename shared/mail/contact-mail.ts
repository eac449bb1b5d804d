import type { Caller } from '../base/caller.ts';
import type { Language } from '../base/i18n/languages.ts';
import { fill } from '../base/i18n/plural.ts';
import { REPORT_TEXTS } from '../base/i18n/texts/report.ts';
import { type MailReader, readerOf } from '../domain/mail/reader.ts';
import { plainName } from '../domain/notifications/text.ts';
import type { DeliveredMail, MailIdentity, MailInHand } from '../notices/mails.ts';
import { standingOf, takesMailByHand, takesStandingMail } from '../organizations/addresses/addresses.ts';
import * as organizations from '../organizations/organizations.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import type { InlineImage } from './compose.ts';
import { NO_SENDER } from './letter.ts';
import { plainBlock, plainOrganization, sendOutside } from './outside.ts';
import type { MailPage } from './page.ts';
import { senderAddress } from './send.ts';

const UNWANTED: DeliveredMail = { state: 'refused', detail: 'the address takes no mails' };

/** What a mail to a contact says. */
export interface ContactLetter extends Pick<MailPage, 'subject' | 'paragraphs' | 'blocks' | 'action'> {
  images: readonly InlineImage[];
  /** Why the contact gets the mail. */
  reason: string;
  /** When the first of its links ends, ISO 8601. */
  expires_at: string;
}

/** What is to be done, in the words of whoever asks for it. */
export const descriptionOf = (
  language: Language,
  { description }: { description: string },
): MailPage['blocks'][number]['facts'] =>
  description === '' ? [] : [[REPORT_TEXTS[language].action, description]];

/** Who reads a mail to a contact, and how. */
export interface ContactReader extends MailReader {
  /** A stranger has not confirmed that the organization may write: the subject is in the service's own words. */
  isStranger: boolean;
}

/**
 * Sends a mail to a contact outside the organization, in the organization's language, unless its address takes no mails
 * or the mail has to wait. What the organization has written to a stranger is plain.
 * @param letter writes it, once it is known that it is sent
 */
export const mailContact = async (
  caller: Caller,
  contact: { name: string | null; email: string },
  { mailId, recipient }: Pick<MailIdentity, 'mailId' | 'recipient'>,
  place: MailInHand['place'],
  letter: (organization: StoredOrganization, reader: ContactReader) => Promise<ContactLetter>,
): Promise<DeliveredMail> => {
  if (senderAddress() === undefined) return NO_SENDER;
  const [stored, standing] = await Promise.all([
    organizations.get(caller),
    standingOf(caller, contact.email),
  ]);
  if (!takesMailByHand(standing)) return UNWANTED;
  const wait = await place(stored, 'to_others');
  if (wait) return wait;
  const isStranger = !takesStandingMail(standing);
  const organization = isStranger ? plainOrganization(stored) : stored;
  const reader = readerOf(organization);
  const { expires_at, reason, blocks, ...content } = await letter(organization, { ...reader, isStranger });
  const { texts, language, date } = reader;
  return sendOutside(
    caller,
    organization,
    { name: plainName(contact.name ?? ''), address: contact.email },
    {
      language,
      ...content,
      blocks: isStranger ? blocks.map(plainBlock) : blocks,
      hints: [fill(texts.contactLink.hint, { date: date(expires_at) })],
      reasons: [reason],
    },
    { mail_id: mailId, recipient },
  );
};
