import type { Caller } from '../base/caller.ts';
import { currentRequest } from '../base/request.ts';
import { confirmedReplyTo } from '../db/addresses/addresses.ts';
import type { DeliveredMail } from '../db/notifications/mails.ts';
import type { StoredOrganization } from '../db/table/entities/organization.ts';
import { plainName, plainText } from '../domain/notifications/text.ts';
import { MAIL_TEXTS } from '../i18n/texts/mail.ts';
import { type Address, compose, type InlineImage, LOGO_ID } from './compose.ts';
import type { Block, MailPage } from './page.ts';
import { logoOf, sendMail, senderOf, stopUrl, type Tags } from './send.ts';

export const NO_SENDER: DeliveredMail = { state: 'refused', detail: 'there is no address to send from' };

/** What a mail to somebody outside the organization says. */
export interface OutsideLetter extends Omit<MailPage, 'organization' | 'logo' | 'stop'> {
  images?: readonly InlineImage[];
  /** All words are the service's: there is no logo, and replies do not reach the organization. */
  isOurs?: true;
}

/** The organization as a stranger is told of it: its name is its own choice. */
export const plainOrganization = (organization: StoredOrganization): StoredOrganization => ({
  ...organization,
  name: plainName(organization.name),
});

/** A block whose texts no stranger can be harmed by. */
export const plainBlock = (block: Block): Block => ({
  ...block,
  title: plainText(block.title),
  facts: block.facts.map(([label, value]) => [label, plainText(value)]),
  entries: block.entries.map(({ name, detail }) => ({ name: plainText(name), detail })),
  note: block.note && { label: block.note.label, text: plainText(block.note.text) },
});

/**
 * Sends a mail to one address outside the organization. It has a link that stops all mails of the organization to the
 * address.
 */
export const sendOutside = async (
  caller: Caller,
  organization: StoredOrganization,
  to: Address,
  { images = [], isOurs, ...page }: OutsideLetter,
  tags: Tags,
): Promise<DeliveredMail> => {
  const from = senderOf(organization);
  if (!from) return NO_SENDER;
  const [logo, replyTo, url] = await Promise.all([
    isOurs ? undefined : logoOf(caller, organization),
    isOurs ? null : confirmedReplyTo(caller, organization),
    stopUrl(caller, to.address),
  ]);
  const message = await compose({
    from,
    to: [to],
    replyTo,
    page: {
      ...page,
      organization: organization.name,
      logo: logo ? LOGO_ID : null,
      stop: { label: MAIL_TEXTS[page.language].stop, url },
    },
    logo,
    images,
    requestId: currentRequest()?.requestId,
  });
  return sendMail(message, [to.address], { org_id: caller.org_id, ...tags });
};
