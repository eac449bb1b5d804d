import type { Problem } from '../../base/problem.ts';
import { isBlank } from '../../base/text.ts';
import type { Reporter } from '../../schemas/issues/issue.ts';
import {
  type ContactRule,
  type PublicLink,
  type PublicLinkStatus,
} from '../../schemas/issues/public-link.ts';

type LinkState = Pick<
  PublicLink,
  'revoked_at' | 'expires_at' | 'max_submissions' | 'submissions_count' | 'paused_at'
>;

/** The status of a link. A status that cannot be undone counts before the others. @param now ISO 8601 in UTC */
export const linkStatus = (
  { revoked_at, expires_at, max_submissions, submissions_count, paused_at }: LinkState,
  now: string,
): PublicLinkStatus => {
  if (revoked_at !== null) return 'revoked';
  if (expires_at !== null && expires_at <= now) return 'expired';
  if (max_submissions !== null && submissions_count >= max_submissions) return 'exhausted';
  return paused_at === null ? 'active' : 'paused';
};

/** A reporter who gives no name and no contact. */
export const NO_REPORTER: Reporter = { name: null, email: null, phone: null };

/**
 * What is wrong with the contact that somebody gives, by the rule of the link. A required contact needs an email
 * address or a phone number; a name alone is not enough.
 */
export const contactProblems = (rule: ContactRule, { email, phone }: Reporter): Problem[] =>
  rule === 'required' && isBlank(email ?? '') && isBlank(phone ?? '')
    ? [{ loc: ['body', 'reporter', 'email'], msg: 'Field required', type: 'missing' }]
    : [];
