import type { ActivityKind, CorrectiveAction, CorrectiveActionStatus } from '../schemas/corrective-action.ts';
import type { Way } from './inspections/workflow.ts';

/** What can happen to a corrective action on its way. */
export type ActionStep = 'start' | 'complete' | 'accept' | 'decline' | 'cancel' | 'reopen';

/** What a step notes down on the action. */
type Noted = Pick<
  CorrectiveAction,
  | 'completed_at'
  | 'completed_by'
  | 'completion_note'
  | 'verified_at'
  | 'verified_by'
  | 'verification_note'
  | 'reopened_at'
  | 'reopen_reason'
  | 'reopen_count'
>;

/** Who takes a step, when, and what is said with it. */
export interface Taken {
  at: string;
  by: string;
  note: string;
}

interface Transition {
  from: readonly CorrectiveActionStatus[];
  to: CorrectiveActionStatus;
  /** What has been done to an action once the step is taken. */
  done: string;
  /** How the action's activity tells of it. */
  told?: ActivityKind;
  noted?: (taken: Taken, action: Noted) => Partial<Noted>;
}

const UNDONE = { completed_at: null, completed_by: null, completion_note: '' };
const UNVERIFIED = { verified_at: null, verified_by: null, verification_note: '' };

/** The life of a corrective action: which step is open in which status, where it leads, and what it leaves. */
const TRANSITIONS: Readonly<Record<ActionStep, Transition>> = {
  start: { from: ['open'], to: 'in_progress', done: 'started' },
  complete: {
    from: ['in_progress'],
    to: 'pending_verification',
    done: 'completed',
    noted: ({ at, by, note }) => ({ completed_at: at, completed_by: by, completion_note: note }),
  },
  accept: {
    from: ['pending_verification'],
    to: 'verified',
    done: 'verified',
    told: 'verified',
    noted: ({ at, by, note }) => ({ verified_at: at, verified_by: by, verification_note: note }),
  },
  decline: {
    from: ['pending_verification'],
    to: 'in_progress',
    done: 'verified',
    noted: ({ note }) => ({ ...UNDONE, verification_note: note }),
  },
  cancel: { from: ['open', 'in_progress', 'pending_verification'], to: 'cancelled', done: 'cancelled' },
  reopen: {
    from: ['pending_verification', 'verified', 'cancelled'],
    to: 'open',
    done: 'reopened',
    told: 'reopened',
    noted: ({ at, note }, { reopen_count }) => ({
      ...UNDONE,
      ...UNVERIFIED,
      reopened_at: at,
      reopen_reason: note,
      reopen_count: reopen_count + 1,
    }),
  },
};

/** The whole life of a corrective action. */
export const actionWays = (): Way<ActionStep, CorrectiveActionStatus>[] =>
  Object.entries(TRANSITIONS).map(([step, { from, to }]) => ({ step: step as ActionStep, from, to: [to] }));

/** The steps that setting a status asks for; the others say more than a status. */
const BY_STATUS: Partial<Record<CorrectiveActionStatus, ActionStep>> = {
  in_progress: 'start',
  pending_verification: 'complete',
  cancelled: 'cancel',
};

/** The step by which an edit reaches a status, if any. */
export const stepTo = (status: CorrectiveActionStatus): ActionStep | undefined => BY_STATUS[status];

/** Whether a step is open to an action in this status. */
export const isStepOpen = (step: ActionStep, status: CorrectiveActionStatus): boolean =>
  TRANSITIONS[step].from.includes(status);

/** What a 409 says of a step that is not open. */
export const stepRefusal = (step: ActionStep, status: CorrectiveActionStatus): string => {
  const { from, done } = TRANSITIONS[step];
  return `corrective action is ${status}; only one that is ${from.join(' or ')} can be ${done}`;
};

/** What a step makes of an action: its new status, and what it leaves noted. */
export const stepped = (
  step: ActionStep,
  action: Noted,
  taken: Taken,
): Partial<Noted> & Pick<CorrectiveAction, 'status'> => {
  const { to, noted } = TRANSITIONS[step];
  return { status: to, ...noted?.(taken, action) };
};

/** The kind of activity that a step is. */
export const activityOf = (step: ActionStep): ActivityKind => TRANSITIONS[step].told ?? 'status_changed';

/** Whether there is still something to do, or to verify. A closed action is changed only by being reopened. */
export const isActionOpen = (status: CorrectiveActionStatus): boolean =>
  status !== 'verified' && status !== 'cancelled';

/** Whether an action awaits verification without the evidence that it requires, which it never may. */
export const lacksEvidence = ({
  status,
  evidence_required,
  evidence_count,
}: Pick<CorrectiveAction, 'status' | 'evidence_required' | 'evidence_count'>): boolean =>
  status === 'pending_verification' && evidence_required && evidence_count === 0;

/** Whether it is late: what was completed in time does not become overdue by waiting for its verification. */
export const isActionOverdue = (
  { status, due_at }: Pick<CorrectiveAction, 'status' | 'due_at'>,
  now: string,
): boolean => (status === 'open' || status === 'in_progress') && due_at !== null && due_at < now;

/**
 * Whether whoever completed an action may not be the one to verify it.
 * @param setting the organization's; null leaves it to who asks: on for people, off for an API key
 */
export const needsSecondPerson = (setting: boolean | null, isPerson: boolean): boolean => setting ?? isPerson;

const DAY_MS = 86_400_000;

/** When an action made at a time is due that a template gives so many days. */
export const dueAfter = (at: string, days: number | null): string | null =>
  days === null ? null : new Date(Date.parse(at) + days * DAY_MS).toISOString();
