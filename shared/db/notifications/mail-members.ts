import type { Caller } from '../../base/caller.ts';
import { canReceiveMail } from '../../domain/notifications/mail.ts';
import type { NotificationKind } from '../../schemas/preferences.ts';
import * as preferences from '../me/preferences.ts';
import * as members from '../members/members.ts';
import type { StoredMember } from '../table/entities.ts';
import { withRows } from '../table/rows.ts';

/** Those of these members who can receive mails and have not switched this kind off. */
export const membersToMail = async (
  caller: Caller,
  userIds: readonly string[],
  kind: NotificationKind,
): Promise<StoredMember[]> => {
  const ids = (async function* () {
    yield* userIds;
  })();
  const found = withRows(caller, ids, (id) => [members.key(caller, id), preferences.key(caller, id)]);
  const wanted: StoredMember[] = [];
  for await (const [, [member, chosen]] of found) {
    if (member && canReceiveMail(member) && preferences.wants(chosen, kind)) wanted.push(member);
  }
  return wanted;
};
