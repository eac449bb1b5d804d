import { isDeepStrictEqual } from 'node:util';
import { foldedAddress } from '../../base/text.ts';
import type { MailFeedback, MailWait } from '../../schemas/mail.ts';
import type { EmailRecipient, EmailStatus } from '../../schemas/reports/report-email.ts';

/** From the least informative status to the worst one. */
const ORDER: readonly EmailStatus[] = ['queued', 'delivered', 'sent', 'failed', 'bounced', 'complained'];

/** The status of a mail: queued until something was sent or failed, then the worst among its recipients. */
export const emailStatus = (recipients: readonly Pick<EmailRecipient, 'status'>[]): EmailStatus =>
  recipients.reduce<EmailStatus>(
    (worst, { status }) => (ORDER.indexOf(status) > ORDER.indexOf(worst) ? status : worst),
    recipients.length === 0 ? 'failed' : 'queued',
  );

/**
 * By the status of a mail for a recipient, the statuses that may follow. Events arrive in any order: a delivery that is
 * reported after a complaint does not undo it.
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

/** Whether a mail for a recipient may go from one status to another. */
export const mayFollow = (status: EmailStatus, next: EmailStatus): boolean => NEXT[status].includes(next);

/** The outcome of a mail for some of its recipients. */
export interface RecipientOutcome {
  /** Case is ignored. */
  addresses: readonly string[];
  status: EmailStatus;
  detail: string | null;
  /** ISO 8601 in UTC. */
  at: string;
  /** How it waits, while it is queued. */
  waiting?: MailWait;
}

/** A recipient of a mail as it is stored. */
export type StoredRecipient = EmailRecipient;

/** The recipients after an outcome; the same list when nothing changes. */
export const withOutcome = (
  recipients: readonly StoredRecipient[],
  { addresses, status, detail, at, waiting }: RecipientOutcome,
): readonly StoredRecipient[] => {
  const concerned = new Set(addresses.map((address) => foldedAddress(address)));
  const waitsAnew = (recipient: StoredRecipient): boolean =>
    waiting !== undefined && recipient.status === 'queued' && !isDeepStrictEqual(recipient.waiting, waiting);
  const changes = (recipient: StoredRecipient): boolean =>
    concerned.has(foldedAddress(recipient.address)) &&
    (mayFollow(recipient.status, status) || waitsAnew(recipient));
  if (!recipients.some(changes)) return recipients;
  return recipients.map((recipient) =>
    changes(recipient)
      ? { address: recipient.address, status, detail, at, waiting: waiting ?? null }
      : recipient,
  );
};

/** The outcome for some recipients of a mail, from an event of the mail service. */
export interface Verdict {
  addresses: string[];
  status: EmailStatus;
  detail: string | null;
  /** Why these addresses get no more mail; null when they may get mail again. */
  suppression: 'bounced' | 'complained' | null;
}

/** SES itself has not sent the mail, because it knows the address from earlier bounces (Amazon SES, "Bounce types"). */
const REFUSED_BY_SES = new Set(['Suppressed', 'OnAccountSuppressionList']);

/** An address without the name that may stand before it. */
const bare = (address: string): string => /<([^<>]+)>\s*$/.exec(address)?.[1] ?? address.trim();

const detailOf = (...parts: (string | undefined)[]): string | null =>
  parts.filter(Boolean).join(': ') || null;

const ofBounce = ({
  bounceType,
  bounceSubType,
  bouncedRecipients,
}: MailFeedback['bounce'] & object): Verdict => {
  const isRefused = REFUSED_BY_SES.has(bounceSubType ?? '');
  const isForGood = bounceType === 'Permanent' && !isRefused;
  const [diagnosis] = bouncedRecipients.flatMap(({ diagnosticCode }) => diagnosticCode ?? []);
  return {
    addresses: bouncedRecipients.map(({ emailAddress }) => bare(emailAddress)),
    status: isRefused ? 'failed' : 'bounced',
    detail: detailOf(`${bounceType} ${bounceSubType ?? ''}`.trim(), diagnosis),
    suppression: isForGood ? 'bounced' : null,
  };
};

/** Undefined for an event that does not change the outcome, such as a delay. */
export const verdictOf = ({
  mail,
  bounce,
  complaint,
  delivery,
  reject,
}: MailFeedback): Verdict | undefined => {
  if (bounce) return ofBounce(bounce);
  if (complaint) {
    return {
      addresses: complaint.complainedRecipients.map(({ emailAddress }) => bare(emailAddress)),
      status: 'complained',
      detail: detailOf(complaint.complaintFeedbackType),
      suppression: 'complained',
    };
  }
  if (delivery) {
    return { addresses: delivery.recipients.map(bare), status: 'delivered', detail: null, suppression: null };
  }
  if (!reject) return undefined;
  return {
    addresses: mail.destination.map(bare),
    status: 'failed',
    detail: detailOf(reject.reason),
    suppression: null,
  };
};
