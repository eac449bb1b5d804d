import type { PauseReason } from '../../schemas/mail.ts';

/** What became of an organization's mails to people who are no members, within `COUNTED_DAYS`. */
export interface MailCounts {
  sent: number;
  /** Those that bounced for good, and those that were reported as unwanted; each address once. */
  bounced: number;
  complained: number;
}

/** Days, today included, whose mails are counted together. */
export const COUNTED_DAYS = 7;

/**
 * The parts of its mails that SES lets bounce, or be reported as unwanted, before it reviews an account: 5% and 0.1%
 * (Amazon SES, "Reputation metrics messages"). All organizations share one account, so each keeps to them by itself.
 */
const MAX_BOUNCED = 0.05;
const MAX_COMPLAINED = 0.001;

/** Fewer mails, or fewer complaints, tell nothing. */
const MIN_SENT = 50;
const MIN_COMPLAINED = 3;

/** Why an organization's mails have to pause; undefined while too little has happened. */
export const reasonToPause = ({
  sent,
  bounced,
  complained,
}: MailCounts): Exclude<PauseReason, 'operator'> | undefined => {
  if (complained >= MIN_COMPLAINED && complained >= sent * MAX_COMPLAINED) return 'complained';
  return sent >= MIN_SENT && bounced >= sent * MAX_BOUNCED ? 'bounced' : undefined;
};
