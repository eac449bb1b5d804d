import type { EventType } from '../../schemas/event.ts';
import type {
  Advance,
  Inspection,
  InspectionStatus,
  Participant,
} from '../../schemas/inspections/inspection.ts';

/** A step that an inspection can take. */
export type Step =
  | 'start'
  | 'submit'
  | 'approve'
  | 'request_changes'
  | 'reject'
  | 'sign_off'
  | 'reapprove'
  | 'archive'
  | 'restore';

/** What the way of an inspection depends on: the demands it pinned, and where it was archived from. */
type Demands = Pick<Inspection, 'requires_approval' | 'requires_sign_off' | 'archived_from'>;

interface Transition {
  from: readonly InspectionStatus[];
  to: (way: Demands) => InspectionStatus;
  /** The time it stamps. */
  at?: 'started_at' | 'submitted_at' | 'approved_at' | 'signed_off_at';
  outcome?: Inspection['approval_outcome'];
}

const onceApproved = (way: Demands) => (way.requires_sign_off ? 'pending_sign_off' : 'completed');
const onceSubmitted = (way: Demands) => (way.requires_approval ? 'pending_approval' : onceApproved(way));
const UNARCHIVED = ['scheduled', 'in_progress', 'pending_approval', 'pending_sign_off', 'completed'] as const;

/** The life of an inspection: which step is open in which status, and where it leads. */
const TRANSITIONS: Readonly<Record<Step, Transition>> = {
  start: { from: ['scheduled'], to: () => 'in_progress', at: 'started_at' },
  submit: { from: ['in_progress'], to: onceSubmitted, at: 'submitted_at' },
  approve: { from: ['pending_approval'], to: onceApproved, at: 'approved_at', outcome: 'approved' },
  request_changes: { from: ['pending_approval'], to: () => 'in_progress', outcome: 'changes_requested' },
  reject: { from: ['pending_approval'], to: () => 'archived', outcome: 'rejected' },
  sign_off: { from: ['pending_sign_off'], to: () => 'completed', at: 'signed_off_at' },
  // A correction that was closed goes where its template says: through approval again.
  reapprove: { from: ['completed'], to: () => 'pending_approval' },
  archive: { from: UNARCHIVED, to: () => 'archived' },
  restore: { from: ['archived'], to: ({ archived_from }) => archived_from! },
};

/** A step with the statuses in which it is open, and those to which it leads. */
export interface Way<Step, Status> {
  step: Step;
  from: readonly Status[];
  to: readonly Status[];
}

/** The whole life of an inspection. Of several statuses that a step leads to, the demands of each decide. */
export const inspectionWays = (): Way<Step, InspectionStatus>[] => {
  const demands = [true, false].flatMap((requires_approval) =>
    [true, false].map((requires_sign_off) => ({ requires_approval, requires_sign_off })),
  );
  return Object.entries(TRANSITIONS).map(([step, { from, to }]) => ({
    step: step as Step,
    from,
    to: [
      ...new Set(
        UNARCHIVED.flatMap((archived_from) => demands.map((demand) => to({ ...demand, archived_from }))),
      ),
    ],
  }));
};

/** The step an empty advance takes. Where a decision or a signature is awaited there is none. */
const FORWARD: Partial<Record<InspectionStatus, 'start' | 'submit'>> = {
  scheduled: 'start',
  in_progress: 'submit',
};

/** A step that an advance can be; the others belong to operations of their own. */
type Advancing = Exclude<Step, 'reapprove' | 'archive' | 'restore'>;

/** The step that an advance asks for; undefined when it names none and none leads forward by itself. */
export const stepOf = (status: InspectionStatus, { decision, sign_off }: Advance): Advancing | undefined =>
  decision ?? (sign_off ? 'sign_off' : FORWARD[status]);

const AWAITED: Partial<Record<InspectionStatus, string>> = {
  pending_approval: 'a decision',
  pending_sign_off: 'a sign_off',
};

/** What a 409 says where no step leads forward by itself. */
export const restingMessage = (status: InspectionStatus): string =>
  `inspection is ${status}${status in AWAITED ? ` and awaits ${AWAITED[status]}` : ''}`;

/** Whether a step is open to an inspection in this status. */
export const isOpenTo = (step: Step, status: InspectionStatus): boolean =>
  TRANSITIONS[step].from.includes(status);

/**
 * What a step makes of an inspection: its new status and times.
 * @param at the time of the step, as it is stamped
 */
export const take = (
  step: Step,
  inspection: Demands & Pick<Inspection, 'status' | 'completed_at'>,
  at: string,
): Partial<Inspection> & Pick<Inspection, 'status'> => {
  const { to, at: stamp, outcome } = TRANSITIONS[step];
  const status = to(inspection);
  const isArchived = status === 'archived';
  return {
    status,
    ...(stamp && { [stamp]: at }),
    ...(outcome && { approval_outcome: outcome }),
    ...(status === 'completed' && { completed_at: inspection.completed_at ?? at }),
    archived_at: isArchived ? at : null,
    archived_from: isArchived ? inspection.status : null,
  };
};

const REACHED: Partial<Record<InspectionStatus, EventType>> = {
  pending_approval: 'inspection.pending_approval',
  pending_sign_off: 'inspection.pending_sign_off',
  completed: 'inspection.completed',
  archived: 'inspection.archived',
};

/** The event that tells of a step, if any: a restored inspection was told of when it first got there. */
export const eventOf = (step: Step, reached: InspectionStatus): EventType | undefined => {
  if (step === 'start') return 'inspection.started';
  return step === 'restore' ? undefined : REACHED[reached];
};

/** The statuses in which answers and edits are accepted. In all others an inspection is locked. */
export const OPEN = ['scheduled', 'in_progress'] as const satisfies InspectionStatus[];

export const isOpen = (status: InspectionStatus): boolean => OPEN.some((open) => open === status);

/** Whether an inspection is still on its way, be it to somebody's decision or signature. */
export const isRunning = (status: InspectionStatus): boolean =>
  status !== 'completed' && status !== 'archived';

/** Whether an inspection accepts answers: while it is open, and in an open correction once it is completed. */
export const acceptsAnswers = ({
  status,
  correction_stage,
}: {
  status: InspectionStatus;
  correction_stage: 'open' | 'closing' | 'discarding' | null;
}): boolean => isOpen(status) || (status === 'completed' && correction_stage === 'open');

/** What a 409 says of an inspection that is locked. */
export const lockedMessage = (status: InspectionStatus): string => `inspection is ${status} and locked`;

/** Those who fill in the inspection have a part to submit; approvers and signatories come after them. */
export const hasPart = ({ role }: Participant): boolean => role === 'inspector' || role === 'lead';

export const unsubmitted = (participants: readonly Participant[]): Participant[] =>
  participants.filter((participant) => hasPart(participant) && participant.status !== 'submitted');

/** The participants once this one has begun. */
export const begin = (participants: readonly Participant[], userId: string): Participant[] =>
  participants.map((participant) =>
    participant.user_id === userId && participant.status === 'assigned'
      ? { ...participant, status: 'started' as const }
      : participant,
  );

/** The participants once this one's part, decision or signature is in. */
export const submit = (participants: readonly Participant[], userId: string, at: string): Participant[] =>
  participants.map((participant) =>
    participant.user_id === userId && participant.status !== 'submitted'
      ? { ...participant, status: 'submitted' as const, submitted_at: at }
      : participant,
  );

/** The participants with what they submitted open again: all, or those that are meant. */
export const reopen = (
  participants: readonly Participant[],
  at: string,
  isMeant: (participant: Participant) => boolean = () => true,
): Participant[] =>
  participants.map((participant) =>
    participant.status === 'submitted' && isMeant(participant)
      ? { ...participant, status: 'started' as const, submitted_at: null, reopened_at: at }
      : participant,
  );

/**
 * What a corrected inspection takes through approval again: nobody has approved or signed the answers that it has
 * now, and it is not completed before they do.
 */
export const unapproved = (participants: readonly Participant[], at: string) => ({
  participants: reopen(participants, at, (participant) => !hasPart(participant)),
  approval_outcome: null,
  approved_at: null,
  signatures: [],
  signed_off_at: null,
  completed_at: null,
});

/** Who decides on an inspection: the approver it names, those its family named, and participants in that role. */
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

const MOST_NAMED = 10;

/** What a 409 says of what keeps an inspection from moving on: how many things, and the first ten. */
export const blockedMessage = (status: InspectionStatus, blockers: readonly string[]): string => {
  const named = blockers.slice(0, MOST_NAMED).join('; ');
  const rest = blockers.length - MOST_NAMED;
  const count = `${blockers.length} blocker${blockers.length === 1 ? '' : 's'}`;
  return `inspection is ${status} with ${count}: ${named}${rest > 0 ? `; and ${rest} more` : ''}`;
};
