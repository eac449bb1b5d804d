import type { Caller } from '../base/caller.ts';
import { MAIL_TEXTS } from '../base/i18n/texts/mail.ts';
import { plainName, plainText } from '../domain/notifications/text.ts';
import type { DeliveredMail } from '../notices/mails.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import type { Address } from './compose.ts';
import { type Letter, sendLetter } from './letter.ts';
import type { Block } from './page.ts';
import { stopUrl, type Tags } from './send.ts';

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
  letter: Letter,
  tags: Tags,
): Promise<DeliveredMail> => {
  const stop = { label: MAIL_TEXTS[letter.language].stop, url: await stopUrl(caller, to.address) };
  return sendLetter(caller, organization, to, letter, stop, tags);
};
