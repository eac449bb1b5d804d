import type { Member } from '../../schemas/member.ts';

/** Someone who gets a mail. */
export interface MailRecipient {
  /** Null for an address that is no member's. */
  user_id: string | null;
  address: string;
}

/** The sender's name in a mail: an organization chooses its own name, so the service names itself as well. */
export const senderName = (organization: string): string => `${organization} via Inspection Service`;

/** Whether mails reach a member: only active people with an address read them, API keys do not. */
export const canReceiveMail = ({ status, role, email }: Pick<Member, 'status' | 'role' | 'email'>): boolean =>
  status === 'active' && role !== 'api' && email !== '';

/**
 * Everyone who gets a mail, each address once whatever its case. A member's own address wins over the same address
 * in a family's settings.
 */
export const mailRecipients = (
  members: readonly Pick<Member, 'user_id' | 'email'>[],
  emails: readonly string[],
): MailRecipient[] => {
  const recipients = new Map<string, MailRecipient>();
  for (const { user_id, email: address } of members)
    recipients.set(address.toLowerCase(), { user_id, address });
  for (const address of emails) {
    const folded = address.toLowerCase();
    if (!recipients.has(folded)) recipients.set(folded, { user_id: null, address });
  }
  return [...recipients.values()];
};
