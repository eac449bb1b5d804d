import { timeAfter } from '../base/time.ts';

const DAY_MS = 86_400_000;

/** Between two reminders to an address, in milliseconds; and how far a reminder looks ahead. */
const WEEK_MS = 7 * DAY_MS;

/** A task with a due date; both times are ISO 8601 in UTC. */
export interface DatedTask {
  due_at: string;
  /** When the contact was sent the link to it. */
  requested_at: string;
}

const later = (a: string, b: string): string => (a > b ? a : b);

/** When a contact may be reminded of a task: a day before it is due, and a day after its link at the earliest. */
const remindAt = ({ due_at, requested_at }: DatedTask): string =>
  later(timeAfter(due_at, -DAY_MS), timeAfter(requested_at, DAY_MS));

/**
 * When an address is reminded of its tasks next: at most once in a week.
 * @param sent_at when it was reminded last
 * @returns undefined without a task
 */
export const nextReminder = (tasks: readonly DatedTask[], sent_at: string | null): string | undefined => {
  const [first] = tasks.map(remindAt).toSorted();
  return first && (sent_at === null ? first : later(first, timeAfter(sent_at, WEEK_MS)));
};

/** Whether a reminder tells of a task: it is overdue, or due before the next reminder. */
export const isTold = ({ due_at }: Pick<DatedTask, 'due_at'>, now: string): boolean =>
  due_at <= timeAfter(now, WEEK_MS);
