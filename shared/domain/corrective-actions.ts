import type { OutsideContact } from '../schemas/contact.ts';
import type { ActivityKind, CorrectiveAction, CorrectiveActionStatus } from '../schemas/corrective-action.ts';
import type { Transition } from './inspections/workflow.ts';

/** A step that moves a corrective action from one status to another. */
export type ActionStep = 'start' | 'complete' | 'pass' | 'accept' | 'decline' | 'cancel' | 'reopen';

/** The fields, beside the status, that steps change. */
type StepFields = Pick<
  CorrectiveAction,
  | 'completed_at'
  | 'completed_by'
  | 'completed_by_contact'
  | 'completion_note'
  | 'verified_at'
  | 'verified_by'
  | 'verified_via_key_id'
  | 'verification_note'
  | 'reopened_at'
  | 'reopen_reason'
  | 'reopen_count'
> &
  Partial<Pick<CorrectiveAction, 'completed_on_site'>>;

/**
 * When a step is taken, by which user (null for the contact), with what note, and through which key if a key acts for
 * the user.
 */
export interface StepDetails {
  at: string;
  by: string | null;
  via: string | null;
  note: string;
}

interface StepRule {
  /** The statuses in which the step is allowed. */
  from: readonly CorrectiveActionStatus[];
  to: CorrectiveActionStatus;
  /** The step as a past participle, for messages: “can be started”. */
  done: string;
  /** The step's entry in the action's history; `status_changed` when left out. */
  activity?: ActivityKind;
  fields?: (details: StepDetails, action: Pick<StepFields, 'reopen_count'>) => Partial<StepFields>;
}

const completed = ({ at, by, note }: StepDetails) => ({
  completed_at: at,
  completed_by: by,
  completed_by_contact: by === null,
  completion_note: note,
});
const NOT_COMPLETED = {
  completed_at: null,
  completed_by: null,
  completed_by_contact: false,
  completion_note: '',
  completed_on_site: false,
};
const NOT_VERIFIED = {
  verified_at: null,
  verified_by: null,
  verified_via_key_id: null,
  verification_note: '',
};

/** The workflow of a corrective action: where each step is allowed, where it leads, and which fields it sets. */
const STEPS: Readonly<Record<ActionStep, StepRule>> = {
  start: { from: ['open'], to: 'in_progress', done: 'started' },
  complete: {
    from: ['in_progress'],
    to: 'pending_verification',
    done: 'completed',
    fields: completed,
  },
  pass: { from: ['open', 'in_progress'], to: 'pending_verification', done: 'passed', fields: completed },
  accept: {
    from: ['pending_verification'],
    to: 'verified',
    done: 'verified',
    activity: 'verified',
    fields: ({ at, by, via, note }) => ({
      verified_at: at,
      verified_by: by,
      verified_via_key_id: via,
      verification_note: note,
    }),
  },
  decline: {
    from: ['pending_verification'],
    to: 'in_progress',
    done: 'verified',
    fields: ({ note }) => ({ ...NOT_COMPLETED, verification_note: note }),
  },
  cancel: { from: ['open', 'in_progress', 'pending_verification'], to: 'cancelled', done: 'cancelled' },
  reopen: {
    from: ['pending_verification', 'verified', 'cancelled'],
    to: 'open',
    done: 'reopened',
    activity: 'reopened',
    fields: ({ at, note }, { reopen_count }) => ({
      ...NOT_COMPLETED,
      ...NOT_VERIFIED,
      reopened_at: at,
      reopen_reason: note,
      reopen_count: reopen_count + 1,
    }),
  },
};

/** The whole workflow of a corrective action. */
export const actionTransitions = (): Transition<ActionStep, CorrectiveActionStatus>[] =>
  Object.entries(STEPS).map(([step, { from, to }]) => ({ step: step as ActionStep, from, to: [to] }));

/** The steps that an edit of the status takes. The other steps need more than a status, so they have operations. */
const STEP_BY_STATUS: Partial<Record<CorrectiveActionStatus, ActionStep>> = {
  in_progress: 'start',
  pending_verification: 'complete',
  cancelled: 'cancel',
};

/** The step by which an edit of the status reaches this status, if there is one. */
export const stepToStatus = (status: CorrectiveActionStatus): ActionStep | undefined =>
  STEP_BY_STATUS[status];

export const isStepAllowed = (step: ActionStep, status: CorrectiveActionStatus): boolean =>
  STEPS[step].from.includes(status);

/** What a 409 says of a step that is not allowed. */
export const stepRefusal = (step: ActionStep): string => {
  const { from, done } = STEPS[step];
  return `Only one that is ${from.join(' or ')} can be ${done}`;
};

/** The fields that a step changes, the status among them. */
export const stepFields = (
  step: ActionStep,
  action: Pick<StepFields, 'reopen_count'>,
  details: StepDetails,
): Partial<StepFields> & Pick<CorrectiveAction, 'status'> => {
  const { to, fields } = STEPS[step];
  return { status: to, ...fields?.(details, action) };
};

/** Whether whoever takes a step has worked on the action. The others decide about the work. */
export const isWorkStep = (step: ActionStep): boolean =>
  step === 'start' || step === 'complete' || step === 'pass';

/** The kind of entry that a step makes in the action's history. */
export const stepActivity = (step: ActionStep): ActivityKind => STEPS[step].activity ?? 'status_changed';

/** Whether an action still has to be done or verified. A closed action has to be reopened before it can change. */
export const isActionOpen = (status: CorrectiveActionStatus): boolean =>
  status !== 'verified' && status !== 'cancelled';

/**
 * The steps of an action that was carried out on the spot. They are the same steps as for any other action, so they are
 * refused in the same statuses.
 * @param isSecondPersonNeeded whether somebody else has to verify it
 */
export const stepsOnSite = (status: CorrectiveActionStatus, isSecondPersonNeeded: boolean): ActionStep[] => [
  ...(status === 'open' ? (['start'] as const) : []),
  'complete',
  ...(isSecondPersonNeeded ? [] : (['accept'] as const)),
];

/** A contact with all its details; null when there are none. */
export const contactOf = (given: Partial<OutsideContact> | null | undefined): OutsideContact | null => {
  const contact = { name: null, email: null, company: null, phone: null, ...given };
  return Object.values(contact).some(Boolean) ? contact : null;
};

/** The name of a contact for people: the first of its details that is not empty. */
export const contactName = (contact: OutsideContact | null | undefined): string | null =>
  (contact && (contact.name || contact.company || contact.email || contact.phone)) || null;

/** Whether somebody has to work on an action now. */
export const awaitsWork = ({ status }: Pick<CorrectiveAction, 'status'>): boolean =>
  status === 'open' || status === 'in_progress';

/** How a change of an action affects the link of its contact: the link stays, a new one is sent, or it ends. */
export const linkAfter = (
  before: Pick<CorrectiveAction, 'status' | 'contact'> | undefined,
  after: Pick<CorrectiveAction, 'status' | 'contact'>,
): 'same' | 'new' | 'none' => {
  const address = after.contact?.email?.toLowerCase();
  if (!address) return 'none';
  const isKnown = before?.contact?.email?.toLowerCase() === address;
  const isSentBack = before !== undefined && !awaitsWork(before) && awaitsWork(after);
  if (isKnown && !isSentBack) return 'same';
  return awaitsWork(after) ? 'new' : 'none';
};

/** Why no link to an action can be sent to its contact now; undefined when it can. */
export const linkObstacle = ({
  status,
  contact,
}: Pick<CorrectiveAction, 'status' | 'contact'>): string | undefined => {
  if (!awaitsWork({ status })) return 'Only one that is open or in_progress can be sent to its contact';
  return contact?.email ? undefined : 'Its contact has no email address';
};

/**
 * Why an action that was completed before has to be worked on again. Empty when it was not sent back, or when nobody
 * said why.
 */
export const sentBackNote = ({
  status,
  verification_note,
  reopen_reason,
}: Pick<CorrectiveAction, 'status' | 'verification_note' | 'reopen_reason'>): string =>
  awaitsWork({ status }) ? verification_note || reopen_reason : '';

/** Whether an action is completed without the evidence that it requires. Such a change is refused. */
export const lacksEvidence = ({
  status,
  evidence_required,
  evidence_count,
}: Pick<CorrectiveAction, 'status' | 'evidence_required' | 'evidence_count'>): boolean =>
  (status === 'pending_verification' || status === 'verified') && evidence_required && evidence_count === 0;

/** Whether an action is overdue. A completed action is not: it does not become late while it awaits verification. */
export const isActionOverdue = (
  { status, due_at }: Pick<CorrectiveAction, 'status' | 'due_at'>,
  now: string,
): boolean => awaitsWork({ status }) && due_at !== null && due_at < now;

/**
 * Whether work must be accepted by someone other than the user who did it: a completed action, or a correction.
 * @param setting the organization's setting; null means yes for people and no for API keys
 */
export const needsSecondPerson = (setting: boolean | null, isPerson: boolean): boolean => setting ?? isPerson;
