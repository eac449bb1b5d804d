import { v7 as uuidv7 } from 'uuid';
import { handler as sendMail } from '../../functions/workers/send-mail.ts';
import type { Caller } from '../../shared/base/caller.ts';
import type { Subject } from '../../shared/domain/notifications/events.ts';
import { composeNotice } from '../../shared/domain/notifications/notices.ts';
import { noticeWrites } from '../../shared/notices/notify.ts';
import * as members from '../../shared/organizations/members/members.ts';
import type { Member } from '../../shared/schemas/member.ts';
import type { NotificationEvent } from '../../shared/schemas/notification.ts';
import { change, workOf } from '../../shared/table/change.ts';
import type { OutboxTask } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import type { Write } from '../../shared/table/writes.ts';
import { deliver, type WaitingTask, waitingTasks } from './outbox.ts';
import type { Person } from './people.ts';

/** An event and its recipients. Nulls, duplicates and the actor are removed later. */
export interface Announcement extends Subject {
  event: NotificationEvent;
  user_ids: readonly (string | null)[];
  emails?: readonly string[];
  note?: string | null;
}

/** The inspection of a notice, unless the test names another. */
export const KITCHEN: NonNullable<Announcement['inspection']> = {
  id: uuidv7(),
  number: 12,
  name: 'Kitchen check',
};

export const commit = (person: Person, writes: Write[]): Promise<void> =>
  change(person.caller, () => ({ writes, reply: undefined }));

/** The rows of a notice about something that the caller did. */
export const announce = (
  caller: Caller,
  { event, user_ids, emails, note, ...subject }: Announcement,
): Write[] =>
  noticeWrites(
    workOf(caller),
    composeNotice(
      event,
      subject,
      { user_ids, ...(emails && { emails }), note: note ?? null },
      caller.user_id,
    ),
  );

/** Stores a notice of the organization's admin to the caller, unless the test names other recipients. */
export const tell = (person: Person, notice: Partial<Announcement> = {}): Promise<void> => {
  const { caller, adminId } = person;
  const admin = { org_id: caller.org_id, user_id: adminId, name: 'Admin' };
  const whole: Announcement = {
    event: 'inspection_assigned',
    inspection: KITCHEN,
    user_ids: [caller.user_id],
    ...notice,
  };
  return commit(person, announce(admin, whole));
};

/** Adds a member to the organization. @returns the user id */
export const newMember = async (
  person: Person,
  name: string,
  fields: Partial<Pick<Member, 'email' | 'role' | 'status'>> = {},
): Promise<string> => {
  const { caller } = person;
  const { email = `${name.toLowerCase()}@${caller.org_id}.example`, role = 'inspector', status } = fields;
  const user_id = uuidv7();
  const work = workOf(caller);
  await commit(person, members.memberWrites(work, members.newMember(work, { user_id, name, email, role })));
  if (status) await commit(person, [write.update(members.key(caller, user_id), { set: { status } })]);
  return user_id;
};

/** Lets an organization have sent as many mails of a kind today. */
export const fillDay = (
  person: Person,
  recipients: 'MEMBERS' | 'OTHERS' | 'REPORTS',
  last: number,
): Promise<void> => {
  const day = new Date().toISOString().slice(0, 10);
  return commit(person, [write.put({ ...keys.mailCount(person.caller, day, recipients), last })]);
};

/** The tasks of an organization that wait for the mail worker. */
export const mailTasks = async ({ caller }: Person): Promise<WaitingTask[]> =>
  (await waitingTasks(caller)).filter(({ outbox }) => outbox === 'mail');

/**
 * Delivers everything that waits for the mail worker, and what that leads to.
 * @param done the ids of what was delivered
 */
export const mailAll = async (person: Person, done = new Set<string>()): Promise<void> => {
  for (;;) {
    const task = (await mailTasks(person)).find(({ id }) => !done.has(id));
    if (!task) return;
    done.add(task.id);
    if (!(await deliver(sendMail, task))) throw new Error(`not mailed: ${task.id}`);
  }
};

/** Delivers a notice's task, and then the mails that it leads to: digests, and questions to new addresses. @returns whether the worker accepted all */
export const mailOut = async (person: Person, task: OutboxTask): Promise<boolean> => {
  const isCollected = await deliver(sendMail, task);
  const mails = (await mailTasks(person)).filter(({ data }) => data['what'] !== 'notice');
  const sent = await Promise.all(mails.map((mail) => deliver(sendMail, mail)));
  return isCollected && sent.every(Boolean);
};
