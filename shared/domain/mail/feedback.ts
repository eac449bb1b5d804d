import type { MailFeedback } from '../../schemas/mail.ts';
import type { EmailStatus } from '../../schemas/reports/report-email.ts';

/** What an event of the mail service says about some recipients of a mail. */
export interface Verdict {
  addresses: string[];
  status: EmailStatus;
  detail: string | null;
  /** Why these addresses are mailed no more; null when they may be mailed again. */
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

/** Undefined for an event that says nothing about the delivery, such as a delay. */
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
