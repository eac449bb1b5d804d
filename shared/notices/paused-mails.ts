import type { Caller } from '../base/caller.ts';
import { reasonToPause } from '../domain/mail/reputation.ts';
import { noticesOf } from '../domain/notifications/notices.ts';
import { forgetCounts, mailCounts } from '../organizations/addresses/reputation.ts';
import { adminsOf } from '../organizations/members/members.ts';
import * as organizations from '../organizations/organizations.ts';
import type { MailPause } from '../schemas/mail.ts';
import { noticeWrites } from './notify.ts';
import { placeAnew } from './waiting-mails.ts';

/** Why mails are paused, in a sentence. */
const REASONS: Readonly<Record<MailPause['reason'], string>> = {
  bounced: 'Too many emails bounced for good.',
  complained: 'Too many emails were reported as unwanted.',
  operator: 'The operator of the service has decided it.',
};

/**
 * Pauses the mails of an organization to people who are no members, and tells its admins. Nothing when they are paused.
 * @returns whether that is a change
 */
export const pauseMails = (caller: Caller, reason: MailPause['reason']): Promise<boolean> =>
  organizations.setMailsPaused(caller, reason, async (work, { id, name }) => {
    const facts = { organization: { id, name }, reason: REASONS[reason], user_ids: await adminsOf(work) };
    return noticeWrites(work, noticesOf('mailsPaused', facts, null));
  });

/**
 * Pauses the mails of an organization if too many of its last ones went wrong. Two calls while they are fine.
 * @returns why they were paused; undefined when they are not, or were before
 */
export const pauseIfHarmful = async (caller: Caller): Promise<MailPause['reason'] | undefined> => {
  const reason = reasonToPause(await mailCounts(caller));
  return reason && (await pauseMails(caller, reason)) ? reason : undefined;
};

/**
 * Lets the mails of an organization be sent again, and counts what becomes of them anew. What has waited is sent within
 * the limits. It may be repeated.
 */
export const resumeMails = async (caller: Caller): Promise<void> => {
  await organizations.setMailsPaused(caller, null, forgetCounts);
  await placeAnew(caller, 'paused');
};
