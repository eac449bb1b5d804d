import type { Caller } from '../../base/caller.ts';
import { MAX_MEMBER_MAILS_PER_DAY, MAX_OTHER_MAILS_PER_DAY } from '../../schemas/mail-limits.ts';
import { keys } from '../table/keys.ts';
import { nextNumber } from '../table/single-write.ts';

/** How long a day's number is kept, in seconds: longer than the day. */
const KEPT_SECONDS = 2 * 86_400;

/**
 * Counts one mail of an organization.
 * @returns whether it may be sent; not so when the organization has sent as many today as it may
 */
export const countMail = async (caller: Caller, isToMember: boolean): Promise<boolean> => {
  const now = new Date();
  const key = keys.mailCount(caller, now.toISOString().slice(0, 10), isToMember ? 'MEMBERS' : 'OTHERS');
  const count = await nextNumber(caller, key, Math.floor(now.getTime() / 1_000) + KEPT_SECONDS);
  return count <= (isToMember ? MAX_MEMBER_MAILS_PER_DAY : MAX_OTHER_MAILS_PER_DAY);
};
