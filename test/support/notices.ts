import { v7 as uuidv7 } from 'uuid';
import * as members from '../../shared/db/members/members.ts';
import { memberWrites } from '../../shared/db/members/members.ts';
import { type Notice, notify } from '../../shared/db/notifications/notifications.ts';
import { change } from '../../shared/db/table/change.ts';
import type { OutboxRow } from '../../shared/db/table/outbox.ts';
import * as write from '../../shared/db/table/writes.ts';
import type { Write } from '../../shared/db/table/writes.ts';
import type { Member } from '../../shared/schemas/member.ts';
import { outboxOf } from './outbox.ts';
import type { Person } from './people.ts';

/** What a notice may be about. */
export const KITCHEN: Notice['inspection'] = { id: uuidv7(), number: 12, name: 'Kitchen check' };

export const commit = (person: Person, writes: Write[]): Promise<void> =>
  change(person.caller, () => ({ writes, reply: undefined }));

/** Has the organization's admin tell of something; the caller itself unless others are named. */
export const tell = (person: Person, notice: Partial<Notice> = {}): Promise<void> => {
  const { caller, adminId } = person;
  const admin = { org_id: caller.org_id, user_id: adminId, name: 'Admin' };
  const whole: Notice = {
    event: 'inspection_assigned',
    inspection: KITCHEN,
    user_ids: [caller.user_id],
    ...notice,
  };
  return commit(person, notify(admin, whole));
};

/** A person of the organization. */
export const newMember = async (
  person: Person,
  name: string,
  fields: Partial<Pick<Member, 'email' | 'role' | 'status'>> = {},
): Promise<string> => {
  const { caller } = person;
  const { email = `${name.toLowerCase()}@${caller.org_id}.example`, role = 'inspector', status } = fields;
  const user_id = uuidv7();
  await commit(person, memberWrites(caller, { user_id, name, email, role }));
  if (status) await commit(person, [write.update(members.key(caller, user_id), { set: { status } })]);
  return user_id;
};

/** The tasks that an organization's changes have left for the mail worker. */
export const mailTasks = async ({ caller }: Person): Promise<OutboxRow[]> =>
  (await outboxOf(caller)).filter(({ outbox }) => outbox === 'mail');
