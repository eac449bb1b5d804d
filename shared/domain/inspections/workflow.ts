import type { InspectionEvent } from '../../schemas/event-data.ts';
import type {
  Advance,
  Inspection,
  InspectionStatus,
  Participant,
} from '../../schemas/inspections/inspection.ts';
import { hasWorked, type Workers } from '../four-eyes.ts';

/** A step that moves an inspection from one status to another. */
export type InspectionStep =
  | 'start'
  | 'submit'
  | 'approve'
  | 'request_changes'
  | 'reject'
  | 'sign_off'
  | 'decline'
  | 'archive'
  | 'restore';

/** A step's next status depends on what the inspection requires, and on the status in which it was archived. */
type StepInput = Pick<Inspection, 'requires_approval' | 'requires_sign_off' | 'archived_from'>;

interface StepRule {
  /** The statuses in which the step is allowed. */
  from: readonly InspectionStatus[];
  to: (inspection: StepInput) => InspectionStatus;
  /** The field that the step sets to its time. */
  timestamp?: 'started_at' | 'submitted_at' | 'approved_at' | 'signed_off_at';
  outcome?: Inspection['approval_outcome'];
}

const afterApproval = ({ requires_sign_off }: StepInput) =>
  requires_sign_off ? 'pending_sign_off' : 'completed';
const afterSubmission = (inspection: StepInput) =>
  inspection.requires_approval ? 'pending_approval' : afterApproval(inspection);
const UNARCHIVED = ['scheduled', 'in_progress', 'pending_approval', 'pending_sign_off', 'completed'] as const;

/** The workflow of an inspection: where each step is allowed, and where it leads. */
const STEPS: Readonly<Record<InspectionStep, StepRule>> = {
  start: { from: ['scheduled'], to: () => 'in_progress', timestamp: 'started_at' },
  submit: { from: ['in_progress'], to: afterSubmission, timestamp: 'submitted_at' },
  approve: {
    from: ['pending_approval'],
    to: afterApproval,
    timestamp: 'approved_at',
    outcome: 'approved',
  },
  request_changes: {
    from: ['pending_approval', 'pending_sign_off'],
    to: () => 'in_progress',
    outcome: 'changes_requested',
  },
  reject: { from: ['pending_approval'], to: () => 'archived', outcome: 'rejected' },
  sign_off: { from: ['pending_sign_off'], to: () => 'completed', timestamp: 'signed_off_at' },
  // A refusal to sign is recorded and does not stop the inspection.
  decline: { from: ['pending_sign_off'], to: () => 'completed', timestamp: 'signed_off_at' },
  archive: { from: UNARCHIVED, to: () => 'archived' },
  restore: { from: ['archived'], to: ({ archived_from }) => archived_from! },
};

/** A step, the statuses in which it is allowed, and the statuses to which it can lead. */
export interface Transition<Step, Status> {
  step: Step;
  from: readonly Status[];
  to: readonly Status[];
}

/** The whole workflow of an inspection. What an inspection requires decides between several statuses in `to`. */
export const inspectionTransitions = (): Transition<InspectionStep, InspectionStatus>[] => {
  const inputs: StepInput[] = UNARCHIVED.flatMap((archived_from) =>
    [true, false].flatMap((requires_approval) =>
      [true, false].map((requires_sign_off) => ({ archived_from, requires_approval, requires_sign_off })),
    ),
  );
  return Object.entries(STEPS).map(([step, { from, to }]) => ({
    step: step as InspectionStep,
    from,
    to: [...new Set(inputs.map((input) => to(input)))],
  }));
};

/**
 * The step that an advance without a decision or signature takes. A status that awaits one of these has no such step.
 */
const DEFAULT_STEPS: Partial<Record<InspectionStatus, 'start' | 'submit'>> = {
  scheduled: 'start',
  in_progress: 'submit',
};

/** The steps that an advance can take. The others have operations of their own. */
type AdvanceStep = Exclude<InspectionStep, 'archive' | 'restore'>;

/** The step that an advance asks for; undefined when it names none and the status has no default step. */
export const requestedStep = (
  status: InspectionStatus,
  { decision, sign_off }: Advance,
): AdvanceStep | undefined => decision ?? (sign_off ? 'sign_off' : DEFAULT_STEPS[status]);

const AWAITED: Partial<Record<InspectionStatus, string>> = {
  pending_approval: 'a decision',
  pending_sign_off: 'a sign_off or decision',
};

/** What an inspection in this status waits for; undefined when it does not wait. */
export const awaitedIn = (status: InspectionStatus): string | undefined => AWAITED[status];

/** Whether a change of status sends a submitted inspection back to its participants. */
export const isReturned = (from: InspectionStatus, to: InspectionStatus): boolean =>
  to === 'in_progress' && awaitedIn(from) !== undefined;

export const isStepAllowed = (step: InspectionStep, status: InspectionStatus): boolean =>
  STEPS[step].from.includes(status);

/**
 * The fields that a step changes: the status and its times.
 * @param at the time of the step, ISO 8601 in UTC
 */
export const stepFields = (
  step: InspectionStep,
  inspection: StepInput & Pick<Inspection, 'status' | 'completed_at'>,
  at: string,
): Partial<Inspection> & Pick<Inspection, 'status'> => {
  const { to, timestamp, outcome } = STEPS[step];
  const status = to(inspection);
  const isArchived = status === 'archived';
  return {
    status,
    ...(timestamp && { [timestamp]: at }),
    ...(outcome && { approval_outcome: outcome }),
    ...(status === 'completed' && { completed_at: inspection.completed_at ?? at }),
    archived_at: isArchived ? at : null,
    archived_from: isArchived ? inspection.status : null,
    archive_reason: null,
  };
};

const EVENT_BY_STATUS: Partial<Record<InspectionStatus, InspectionEvent>> = {
  pending_approval: 'inspection.pending_approval',
  pending_sign_off: 'inspection.pending_sign_off',
  completed: 'inspection.completed',
  archived: 'inspection.archived',
};

const EVENT_BY_STEP: Partial<Record<InspectionStep, InspectionEvent>> = {
  start: 'inspection.started',
  request_changes: 'inspection.reopened',
  restore: 'inspection.restored',
};

/** The event that reports a step. */
export const stepEvent = (step: InspectionStep, reached: InspectionStatus): InspectionEvent =>
  EVENT_BY_STEP[step] ?? EVENT_BY_STATUS[reached] ?? 'inspection.updated';

/** The statuses in which an inspection accepts answers and edits. In all others it is locked. */
export const OPEN = ['scheduled', 'in_progress'] as const satisfies InspectionStatus[];

export const isOpen = (status: InspectionStatus): boolean => OPEN.some((open) => open === status);

/** Whether an inspection is not finished: someone still has to work on it, approve it or sign it. */
export const isRunning = (status: InspectionStatus): boolean =>
  status !== 'completed' && status !== 'archived';

/**
 * The stage of the active correction of an inspection. It accepts changes while it is `open`. A step that takes several
 * transactions has a stage of its own (`closing`, …), in which only the same step can continue.
 */
export type CorrectionStage =
  | 'open'
  | 'closing'
  | 'pending_approval'
  | 'approving'
  | 'rejecting'
  | 'discarding';

/** Whether an inspection accepts answers: while it is open, and, once it is completed, in an open correction. */
export const acceptsAnswers = ({
  status,
  correction_stage,
}: {
  status: InspectionStatus;
  correction_stage: CorrectionStage | null;
}): boolean => isOpen(status) || (status === 'completed' && correction_stage === 'open');

/** Whether a participant has a part to submit. Approvers and signatories have none: they act on what was submitted. */
export const hasPart = ({ role }: Pick<Participant, 'role'>): boolean =>
  role === 'inspector' || role === 'lead';

export const unsubmitted = (participants: readonly Participant[]): Participant[] =>
  participants.filter((participant) => hasPart(participant) && participant.status !== 'submitted');

/** An inspector who is assigned to an inspection as a whole. */
export const assignedParticipant = (user_id: string, name: string): Participant => ({
  user_id,
  name,
  role: 'inspector',
  section_ids: [],
  status: 'assigned',
  submitted_at: null,
  reopened_at: null,
});

/** The participants after this one has started their part. */
export const startPart = (participants: readonly Participant[], userId: string): Participant[] =>
  participants.map((participant) =>
    participant.user_id === userId && participant.status === 'assigned'
      ? { ...participant, status: 'started' as const }
      : participant,
  );

/** The participants after this one has submitted a part, a decision or a signature. */
export const submitPart = (participants: readonly Participant[], userId: string, at: string): Participant[] =>
  participants.map((participant) =>
    participant.user_id === userId && participant.status !== 'submitted'
      ? { ...participant, status: 'submitted' as const, submitted_at: at }
      : participant,
  );

/** The participants after their submitted parts were reopened: all, or only those that are selected. */
export const reopenParts = (
  participants: readonly Participant[],
  at: string,
  isSelected: (participant: Participant) => boolean = () => true,
): Participant[] =>
  participants.map((participant) =>
    participant.status === 'submitted' && isSelected(participant)
      ? { ...participant, status: 'started' as const, submitted_at: null, reopened_at: at }
      : participant,
  );

/**
 * The user ids of everyone who may approve an inspection: its approver, the approvers of the template family, and the
 * participants in that role. May contain null and duplicates.
 */
export const approversOf = ({
  approver_id,
  approval,
  participants,
}: Pick<Inspection, 'approver_id' | 'participants'> & {
  approval: { approver_ids: string[] };
}): (string | null)[] => [
  approver_id,
  ...approval.approver_ids,
  ...participants.flatMap(({ role, user_id }) => (role === 'approver' ? [user_id] : [])),
];

/** Those of them who may, because they have not worked on it. */
export const decidersOf = (
  inspection: Parameters<typeof approversOf>[0] & {
    approval: { four_eyes: boolean };
    worked_by?: Workers;
  },
): (string | null)[] => {
  const { approval, worked_by } = inspection;
  return approversOf(inspection).filter(
    (id) => id === null || !approval.four_eyes || !hasWorked(id, worked_by),
  );
};

/** Whether somebody takes part in an inspection, or is asked to decide on it, or was until it was decided. */
export const concerns = (
  userId: string,
  inspection: Parameters<typeof decidersOf>[0] & Pick<Inspection, 'status' | 'approval_outcome'>,
): boolean => {
  const { participants, status, approval_outcome } = inspection;
  if (participants.some(({ user_id }) => user_id === userId)) return true;
  const wasAsked = status === 'pending_approval' || approval_outcome !== null;
  return wasAsked && decidersOf(inspection).includes(userId);
};
