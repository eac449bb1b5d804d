import type { Caller } from '../../base/caller.ts';
import type { CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import type { Issue } from '../../schemas/issues/issue.ts';
import type { Deadline, IssueDeadline } from '../table/entities.ts';
import { type Key, keys } from '../table/keys.ts';
import { dueAt } from '../table/outbox/due.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

type DatedInspection = Pick<Inspection, 'id' | 'due_at'>;
type DatedIssue = Pick<Issue, 'id' | 'due_at'>;
type DatedAction = Pick<CorrectiveAction, 'id' | 'inspection_id' | 'status' | 'due_at'>;

/** How long before the due date of an action the first reminder is sent, in milliseconds. */
const REMINDER_LEAD_MS = 24 * 3_600_000;

/**
 * When the next notification about a due date is sent; undefined when all were sent.
 * @param moments when the notifications are due, the earliest first
 * @param isSameDate whether the date stood there before, as when a completed action has to be done again
 */
const nextNotification = (moments: readonly string[], isSameDate: boolean): string | undefined => {
  const now = new Date().toISOString();
  // For the same date, a moment that has passed was notified then, or the change itself is notified now.
  return isSameDate ? moments.find((at) => at > now) : moments[0];
};

/** The due row of an inspection that has a due date, without its key. */
export const inspectionDeadline = (
  { org_id }: Caller,
  before: DatedInspection | undefined,
  { id, due_at: date }: DatedInspection,
): Deadline => {
  const due_at = date!;
  const at = nextNotification([due_at], before?.due_at === due_at);
  return { org_id, inspection_id: id, due_at, version: 1, ...(at && dueAt('DEADLINE', id, at)) };
};

/** The due row of an issue that has a due date, without its key. */
export const issueDeadline = (
  { org_id }: Caller,
  before: DatedIssue | undefined,
  { id, due_at: date }: DatedIssue,
): IssueDeadline => {
  const due_at = date!;
  const at = nextNotification([due_at], before?.due_at === due_at);
  return { org_id, issue_id: id, due_at, version: 1, ...(at && dueAt('DEADLINE', id, at)) };
};

const actionDueKey = (caller: Caller, action: DatedAction | undefined): Key<Deadline> | undefined =>
  action?.due_at && (action.status === 'open' || action.status === 'in_progress')
    ? keys.actionDue(caller, action.due_at, action.id)
    : undefined;

/**
 * The writes by which the due row of an action follows a change. Only an action that is open or in progress has a due
 * row, and only while a notification about its due date is outstanding.
 */
export const actionDeadline = (
  caller: Caller,
  before: DatedAction | undefined,
  after: DatedAction | undefined,
): Write[] => {
  const [oldKey, newKey] = [actionDueKey(caller, before), actionDueKey(caller, after)];
  if (oldKey?.sk === newKey?.sk) return [];
  const removal = oldKey ? [write.drop(oldKey)] : [];
  if (!newKey) return removal;
  const { id, inspection_id } = after!;
  const due_at = after!.due_at!;
  const reminder = new Date(Date.parse(due_at) - REMINDER_LEAD_MS).toISOString();
  const at = nextNotification([reminder, due_at], before?.due_at === due_at);
  if (!at) return removal;
  const deadline: Deadline = {
    org_id: caller.org_id,
    inspection_id,
    corrective_action_id: id,
    due_at,
    version: 1,
    ...dueAt('DEADLINE', id, at),
  };
  return [...removal, write.put({ ...newKey, ...deadline })];
};
