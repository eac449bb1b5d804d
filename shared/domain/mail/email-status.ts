import type { EmailRecipient, EmailStatus } from '../../schemas/reports/report-email.ts';

/** From the one that says least to the worst. */
const ORDER: readonly EmailStatus[] = ['queued', 'delivered', 'sent', 'failed', 'bounced', 'complained'];

/** The status of a mail: queued until something was sent or failed, then the worst among its recipients. */
export const emailStatus = (recipients: readonly Pick<EmailRecipient, 'status'>[]): EmailStatus =>
  recipients.reduce<EmailStatus>(
    (worst, { status }) => (ORDER.indexOf(status) > ORDER.indexOf(worst) ? status : worst),
    recipients.length === 0 ? 'failed' : 'queued',
  );

/**
 * What a mail's status at a recipient may still become. Events arrive in any order: a delivery that is reported after a
 * complaint does not undo it.
 */
const NEXT: Readonly<Record<EmailStatus, readonly EmailStatus[]>> = {
  queued: ['sent', 'delivered', 'bounced', 'complained', 'failed'],
  sent: ['delivered', 'bounced', 'complained', 'failed'],
  delivered: ['bounced', 'complained'],
  // A worker that gave up does not know whether its last attempt succeeded after all.
  failed: ['delivered', 'bounced', 'complained'],
  bounced: ['complained'],
  complained: [],
};

/** What became of a mail at some of its recipients. */
export interface Outcome {
  /** Case is ignored. */
  addresses: readonly string[];
  status: EmailStatus;
  detail: string | null;
  /** ISO 8601 in UTC. */
  at: string;
}

/** The recipients after an outcome; the same list when it tells nothing new. */
export const withOutcome = (
  recipients: readonly EmailRecipient[],
  { addresses, status, detail, at }: Outcome,
): readonly EmailRecipient[] => {
  const concerned = new Set(addresses.map((address) => address.toLowerCase()));
  const changes = (recipient: EmailRecipient): boolean =>
    concerned.has(recipient.address.toLowerCase()) && NEXT[recipient.status].includes(status);
  if (!recipients.some(changes)) return recipients;
  return recipients.map((recipient) =>
    changes(recipient) ? { ...recipient, status, detail, at } : recipient,
  );
};
