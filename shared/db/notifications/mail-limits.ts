import type { Caller } from '../../base/caller.ts';
import { dayOf, keptFrom } from '../../base/time.ts';
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
  const now = new Date().toISOString();
  const key = keys.mailCount(caller, dayOf(now), isToMember ? 'MEMBERS' : 'OTHERS');
  const count = await nextNumber(caller, key, keptFrom(now, KEPT_SECONDS));
  return count <= (isToMember ? MAX_MEMBER_MAILS_PER_DAY : MAX_OTHER_MAILS_PER_DAY);
};
