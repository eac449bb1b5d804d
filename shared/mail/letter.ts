import type { Caller } from '../base/caller.ts';
import { currentRequest } from '../base/request.ts';
import type { DeliveredMail } from '../notices/mails.ts';
import { confirmedReplyTo } from '../organizations/addresses/addresses.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import { type Address, compose, type InlineImage, LOGO_ID } from './compose.ts';
import type { MailPage } from './page.ts';
import { logoOf, sendMail, senderOf, type Tags } from './send.ts';

export const NO_SENDER: DeliveredMail = { state: 'refused', detail: 'there is no address to send from' };

/** What a mail to one address says. */
export interface Letter extends Omit<MailPage, 'organization' | 'logo' | 'stop'> {
  images?: readonly InlineImage[];
  /** All words are the service's: there is no logo, and replies do not reach the organization. */
  isOurs?: true;
}

/** Sends a mail to one address. @param stop null where the mail itself says how to stop such mails, or nobody can */
export const sendLetter = async (
  caller: Caller,
  organization: StoredOrganization,
  to: Address,
  { images = [], isOurs, ...page }: Letter,
  stop: MailPage['stop'],
  tags: Tags = {},
): Promise<DeliveredMail> => {
  const from = senderOf(organization);
  if (!from) return NO_SENDER;
  const [logo, replyTo] = await Promise.all([
    isOurs ? undefined : logoOf(caller, organization),
    isOurs ? null : confirmedReplyTo(caller, organization),
  ]);
  const message = await compose({
    from,
    to: [to],
    replyTo,
    page: { ...page, organization: organization.name, logo: logo ? LOGO_ID : null, stop },
    logo,
    images,
    requestId: currentRequest()?.requestId,
  });
  return sendMail(message, [to.address], { org_id: caller.org_id, ...tags });
};
