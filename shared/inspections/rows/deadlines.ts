import { isDeepStrictEqual } from 'node:util';
import { timeAfter } from '../../base/time.ts';
import { awaitsWork } from '../../domain/corrective-actions.ts';
import type { CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Issue } from '../../schemas/issues/issue.ts';
import type { Work } from '../../table/change.ts';
import type { Deadline, StoredAction, StoredInspection } from '../../table/entities/inspections.ts';
import type { IssueDeadline } from '../../table/entities/issues.ts';
import type { Unstarted } from '../../table/entities/schedules.ts';
import { dueAt } from '../../table/outbox/due.ts';

type DatedInspection = Pick<StoredInspection, 'id' | 'due_at' | 'overdue_for'>;
type DatedIssue = Pick<Issue, 'id' | 'due_at'>;
type DatedAction = Pick<CorrectiveAction, 'id' | 'inspection_id' | 'status' | 'due_at'> &
  Partial<Pick<CorrectiveAction, 'escalation'> & Pick<StoredAction, 'contact_link'>>;

/** How long before the due date of an action the first reminder is sent, in milliseconds. */
const REMINDER_LEAD_MS = 24 * 3_600_000;

/**
 * When the next notification about a due date is sent; undefined when all were sent.
 * @param now ISO 8601 in UTC
 * @param moments when the notifications are due, the earliest first
 * @param isSameDate whether the due date was the same before, such as when a completed action is reopened
 */
const nextNotification = (now: string, moments: readonly string[], isSameDate: boolean): string | undefined =>
  // With the same date, moments that have passed were notified before, or are notified by the change itself.
  isSameDate ? moments.find((at) => at > now) : moments[0];

/** Attributes of a due row that say which notifications were sent. No other row says so. */
export const REMINDED = ['version', 'by_due', 'by_due_at', 'attempts', 'told_until'] as const;

/**
 * The due row of an inspection that has a due date, without its key. One that is open again after its due date is told of
 * only if nobody was told of that date yet.
 */
export const inspectionDeadline = (
  { org_id, now }: Work,
  { id, due_at: date, overdue_for }: DatedInspection,
  before: DatedInspection | undefined,
): Deadline => {
  const due_at = date!;
  const at = nextNotification(now, [due_at], before?.due_at === due_at && overdue_for === due_at);
  return { org_id, inspection_id: id, due_at, version: 1, ...(at && dueAt('DEADLINE', id, at)) };
};

/** The row of an inspection of a schedule that nobody has started, without its key. */
export const unstarted = (
  { org_id }: Work,
  { id, schedule_id, missed_after, missed_for }: StoredInspection,
  before: Pick<StoredInspection, 'missed_after'> | undefined,
): Unstarted => {
  const isTold = before?.missed_after === missed_after && missed_for === missed_after;
  return {
    org_id,
    schedule_id: schedule_id!,
    inspection_id: id,
    missed_after,
    version: 1,
    ...(missed_after !== null && !isTold && dueAt('DEADLINE', id, missed_after)),
  };
};

/** The due row of an issue that has a due date, without its key. */
export const issueDeadline = (
  { org_id, now }: Work,
  { id, due_at: date }: DatedIssue,
  before: DatedIssue | undefined,
): IssueDeadline => {
  const due_at = date!;
  const at = nextNotification(now, [due_at], before?.due_at === due_at);
  return { org_id, issue_id: id, due_at, version: 1, ...(at && dueAt('DEADLINE', id, at)) };
};

/** Whether an action is due, whether or not anybody is left to tell. */
export const isActionNotified = ({ due_at }: DatedAction, now: string): boolean =>
  due_at !== null && due_at <= now;

/**
 * The due row of an action that has a due date, without its key; undefined when the change leaves it as it is. An action
 * that goes back to work after its due date, or gets another escalation or a contact then, has a new row: the worker
 * looks for the next level, and has the contact reminded.
 */
export const actionDeadline = (
  { org_id, now }: Work,
  action: DatedAction,
  before: DatedAction | undefined,
): Deadline | undefined => {
  const { id, inspection_id } = action;
  const due_at = action.due_at!;
  const reminder = timeAfter(due_at, -REMINDER_LEAD_MS);
  const at = nextNotification(now, [reminder, due_at], before?.due_at === due_at);
  const isSame =
    before &&
    awaitsWork(before) &&
    isDeepStrictEqual(before.escalation, action.escalation) &&
    before.contact_link?.id === action.contact_link?.id;
  if (at === undefined && isSame) return undefined;
  return {
    org_id,
    inspection_id,
    corrective_action_id: id,
    due_at,
    version: 1,
    ...(at === undefined && { told_until: now }),
    ...dueAt('DEADLINE', id, at ?? now),
  };
};
