import type { Member } from '../../schemas/member.ts';
import type { Notice } from './notices.ts';

/** Someone who gets a mail, and the sentence at its end that says why. */
export interface MailRecipient {
  /** Null for an address that is no member's. */
  user_id: string | null;
  name: string;
  address: string;
  footer: string;
}

/** The sender's name in a mail: an organization chooses its own name, so the service names itself as well. */
export const senderName = (organization: string): string => `${organization} via Inspection Service`;

export const memberFooter = (organization: string): string =>
  `You receive this because you are a member of ${organization}. Change your notification settings to stop it.`;

export const addressFooter = (organization: string): string =>
  `You receive this because ${organization} notifies this address. Ask ${organization} to remove it if you no longer want these emails.`;

/** Whether mails reach a member: only active people with an address read them, API keys do not. */
export const canReceiveMail = ({ status, role, email }: Pick<Member, 'status' | 'role' | 'email'>): boolean =>
  status === 'active' && role !== 'api' && email !== '';

/**
 * Everyone who gets a mail, each address once whatever its case. A member's own address wins over the same address
 * in a family's settings.
 */
export const mailRecipients = (
  organization: string,
  members: readonly Pick<Member, 'user_id' | 'name' | 'email'>[],
  emails: readonly string[],
): MailRecipient[] => {
  const recipients = new Map<string, MailRecipient>();
  for (const { user_id, name, email: address } of members) {
    recipients.set(address.toLowerCase(), { user_id, name, address, footer: memberFooter(organization) });
  }
  for (const address of emails) {
    const folded = address.toLowerCase();
    if (!recipients.has(folded)) {
      recipients.set(folded, { user_id: null, name: '', address, footer: addressFooter(organization) });
    }
  }
  return [...recipients.values()];
};

/** The subject of a notice's mail, and the paragraphs of its body in plain text. */
export const mailText = (
  { title, note }: Pick<Notice, 'title' | 'note'>,
  footer: string,
): { subject: string; paragraphs: string[] } => ({
  subject: title,
  paragraphs: [title, ...(note === '' ? [] : [note]), footer],
});
