import { v7 as uuidv7 } from 'uuid';
import { type Caller, serviceOf } from '../../base/caller.ts';
import { keptFrom } from '../../base/time.ts';
import { type DatedTask, isTold, nextReminder } from '../../domain/contact-reminders.ts';
import { change, NOTHING, type Work } from '../../table/change.ts';
import type { ContactReminder, StoredAction } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { dueAt, dueRowsInTurns } from '../../table/outbox/due.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { Sweep } from '../../table/outbox/sweep.ts';
import { getRow, type Row, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { addressOf } from '../rows/corrective-action-records.ts';
import { type ContactTask, openTasks } from './contact-tasks.ts';

/*
 * A contact is reminded of tasks that are due soon or overdue. There is one row for each address, which says when it was
 * reminded last. The worker that tells members of the due date of an action makes the row due. From then on the row is
 * found when the next reminder may be sent. The mail and the row's next time are one transaction.
 */

/** How long the time of the last reminder is known while there is nothing to remind of, in seconds: over a week. */
const KEPT_SECONDS = 8 * 86_400;

const datedTask = ({ due_at, contact_link }: StoredAction): DatedTask[] =>
  due_at && contact_link ? [{ due_at, requested_at: contact_link.requested_at }] : [];

/** The row of an address, with the time at which it is found; without one it is not found, and ends by itself. */
const nextRow = (
  work: Work,
  address: string,
  before: Row<ContactReminder> | undefined,
  next: string | undefined,
  sent_at: string | null,
): Write => {
  const row: ContactReminder = {
    org_id: work.org_id,
    address,
    sent_at,
    version: (before?.version ?? 0) + 1,
    ...(next ? dueAt('REMINDER', address, next) : { ttl: keptFrom(work.now, KEPT_SECONDS) }),
  };
  const key = keys.contactReminder(work, address);
  return before ? write.replace({ ...key, ...row }, before.version) : write.create({ ...key, ...row });
};

/** Has the contact of an action reminded of it, in the change that tells members of its due date. One call at most. */
export const reminderOf = async (work: Work, action: StoredAction): Promise<Write[]> => {
  const task = datedTask(action);
  if (task.length === 0) return [];
  const address = addressOf(action);
  const row = await getRow(work, keys.contactReminder(work, address));
  const sent_at = row?.sent_at ?? null;
  const next = nextReminder(task, sent_at);
  const isSooner = row?.by_due_at === undefined || row.by_due_at > next!;
  return isSooner ? [nextRow(work, address, row, next, sent_at)] : [];
};

/** The reminders that are due, page by page. No organization waits for another. */
export const dueReminders = (now: Date): AsyncGenerator<Row<ContactReminder>[]> =>
  dueRowsInTurns('REMINDER', now);

/** Sends an address its reminder, once however many workers find it, or finds out when there is one. */
export const remind = ({ org_id, address }: ContactReminder, now: string): Promise<void> =>
  change(serviceOf(org_id), async (work) => {
    const row = await getRow(work, keys.contactReminder(work, address));
    if (row?.by_due_at === undefined || row.by_due_at > now) return NOTHING;
    const { tasks } = await openTasks(work, address, now);
    const dated = tasks.flatMap(({ action }) => datedTask(action));
    const next = nextReminder(dated, row.sent_at);
    if (next === undefined || next > now) {
      return { writes: [nextRow(work, address, row, next, row.sent_at)], reply: undefined };
    }
    return {
      writes: [
        nextRow(work, address, row, nextReminder(dated, now), now),
        enqueue(work, 'mail', { what: 'contact_reminder', reminder_id: uuidv7(), address }),
      ],
      reply: undefined,
    };
  });

/** The tasks of which a reminder tells, the first due one first. */
export const remindedTasks = async (caller: Caller, address: string, now: string): Promise<ContactTask[]> => {
  const { tasks } = await openTasks(caller, address, now);
  return tasks.filter(({ action }) => datedTask(action).some((task) => isTold(task, now)));
};

/** Counts the week to the next reminder from the day on which the last one, which has to wait, is sent. */
export const postpone = (caller: Caller, address: string, sent_at: string): Promise<void> =>
  change(caller, async (work) => {
    const row = await getRow(work, keys.contactReminder(work, address));
    if (row?.by_due_at === undefined || (row.sent_at !== null && row.sent_at >= sent_at)) return NOTHING;
    const { tasks } = await openTasks(work, address, work.now);
    const next = nextReminder(
      tasks.flatMap(({ action }) => datedTask(action)),
      sent_at,
    );
    return { writes: [nextRow(work, address, row, next, sent_at)], reply: undefined };
  });

/**
 * Sends all reminders that are due.
 * @param time how long to begin new work, in milliseconds
 * @returns why organizations have to wait for the next sweep
 */
export const remindContacts = async (now: Date, time: number): Promise<unknown[]> => {
  const sweep = new Sweep<Row<ContactReminder>>(
    time,
    () => 'reminder',
    async (rows) => {
      for (const row of rows) await remind(withoutKeys(row), now.toISOString());
    },
  );
  for await (const rows of dueReminders(now)) {
    await sweep.serve(rows);
    if (sweep.isOver) break;
  }
  return sweep.delays.map(({ error }) => error);
};
