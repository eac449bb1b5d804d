import type { Caller } from '../../base/caller.ts';
import { standingOf, takesStandingMail } from '../addresses/addresses.ts';
import type { StoredOrganization } from '../table/entities.ts';

/**
 * The address that replies to an organization's mails go to: only one that is a member's, or whose owner has agreed.
 * Otherwise an organization could have the mails that it sends in the service's name answered to anybody. No call of the
 * table where no address is set, two at most.
 */
export const confirmedReplyTo = async (
  caller: Caller,
  { reply_to_email: address }: Pick<StoredOrganization, 'reply_to_email'>,
): Promise<string | null> =>
  address !== null && takesStandingMail(await standingOf(caller, address)) ? address : null;
