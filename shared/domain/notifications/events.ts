import type { Certificate } from '../../schemas/certificates/certificate.ts';
import type { CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Finding } from '../../schemas/finding.ts';
import type { Correction } from '../../schemas/inspections/correction.ts';
import type { Inspection, InspectionStatus } from '../../schemas/inspections/inspection.ts';
import type { Connection } from '../../schemas/integrations/connection.ts';
import type { IntegrationProblem, SyncRun } from '../../schemas/integrations/run.ts';
import type { Source } from '../../schemas/integrations/source.ts';
import type { Issue } from '../../schemas/issues/issue.ts';
import type { NotificationEvent } from '../../schemas/notification.ts';
import type { Organization } from '../../schemas/organization.ts';
import type { NotificationKind } from '../../schemas/preferences.ts';
import type { Schedule, ScheduleProblem } from '../../schemas/schedules/schedule.ts';
import type { FamilySettings } from '../../schemas/templates/family.ts';
import type { Workers } from '../four-eyes.ts';
import { approversOf, decidersOf, isReturned, unsubmitted } from '../inspections/workflow.ts';
import { localDate } from '../recurrence/index.ts';
import type { MissingKind } from '../schedules/problems.ts';

type NamedInspection = Pick<Inspection, 'id' | 'number' | 'name'>;
type NamedFinding = Pick<Finding, 'id' | 'number' | 'label'>;
type NamedAction = Pick<CorrectiveAction, 'id' | 'number' | 'title'>;
type NamedSchedule = Pick<Schedule, 'id' | 'title'>;
type NamedSource = Pick<Source, 'id' | 'name'>;
type NamedConnection = Pick<Connection, 'id' | 'title'>;
/** The title is its description or its host: its URL may hold secrets. */
interface NamedWebhook {
  id: string;
  title: string;
}

/** For what concerns the whole organization. */
type NamedOrganization = Pick<Organization, 'id' | 'name'>;

type NamedIssue = Pick<Issue, 'id' | 'number' | 'title'>;

/**
 * The records that a notification names: an inspection and perhaps some of its records, or a single record without one.
 */
export interface Subject {
  inspection?: NamedInspection;
  issue?: NamedIssue;
  schedule?: NamedSchedule;
  source?: NamedSource;
  connection?: NamedConnection;
  webhook?: NamedWebhook;
  organization?: NamedOrganization;
  finding?: NamedFinding;
  action?: NamedAction;
}

/** The fields of an inspection that the rules below read. */
export type NotifiedInspection = NamedInspection &
  Pick<
    Inspection,
    'status' | 'created_by' | 'participants' | 'approver_id' | 'approval_outcome' | 'comment'
  > & { approval: Pick<FamilySettings['approval'], 'approver_ids' | 'four_eyes'>; worked_by?: Workers };

/** The fields of a correction that the rules below read. */
type NotifiedCorrection = Pick<Correction, 'status' | 'reason' | 'opened_by' | 'closed_by'> &
  Partial<Pick<Correction, 'comment'>>;

/** The fields of a corrective action that the rules below read. */
export type NotifiedAction = NamedAction &
  Pick<
    CorrectiveAction,
    | 'status'
    | 'created_by'
    | 'assignee_id'
    | 'completed_by'
    | 'completion_note'
    | 'verification_note'
    | 'reopen_reason'
  >;

/** The fields of an issue that the rules below read. */
export type NotifiedIssue = NamedIssue & Pick<Issue, 'assignee_id'>;

/** The fields of a sync's run that the rules below read. */
export type EndedRun = Pick<SyncRun, 'status' | 'error' | 'trigger'>;

/** A certificate that expires soon, or has expired. */
interface CertificateFacts {
  /** The one that has issued it. */
  inspection: NamedInspection;
  certificate: Pick<Certificate, 'number' | 'title' | 'expires_at' | 'timezone' | 'names_then'>;
  /** Who looks after its place, or the organization's admins. */
  user_ids: readonly string[];
}

/** The changes that can trigger notifications, and the values that decide who gets them. No `before`: a new record. */
export interface Triggers {
  inspectionChanged: {
    inspection: NotifiedInspection;
    before: NotifiedInspection | undefined;
    /** The admins, where approval is awaited and nobody who is named can decide; nobody when left out. */
    stand_ins?: readonly string[];
  };
  correctionChanged: {
    inspection: NotifiedInspection;
    correction: NotifiedCorrection;
    before: Pick<NotifiedCorrection, 'status' | 'closed_by'>;
    /** As those of an inspection. */
    stand_ins?: readonly string[];
  };
  inspectionOverdue: {
    inspection: Pick<NotifiedInspection, keyof NamedInspection | 'created_by' | 'participants'>;
  };
  findingCreated: { inspection: NamedInspection; finding: NamedFinding };
  actionChanged: { inspection: NamedInspection; action: NotifiedAction; before: NotifiedAction | undefined };
  /** The contact of an action has written or asked something, and has not completed it. */
  contactWrote: {
    inspection: NamedInspection;
    action: Pick<NotifiedAction, keyof NamedAction | 'created_by' | 'assignee_id'>;
    note: string;
  };
  actionDeadline: {
    inspection: Pick<NotifiedInspection, keyof NamedInspection | 'status'>;
    action: Pick<NotifiedAction, keyof NamedAction | 'created_by' | 'assignee_id'>;
    /** False for the reminder before the due date. */
    isDue: boolean;
  };
  actionEscalated: {
    inspection: Pick<NotifiedInspection, keyof NamedInspection | 'status'>;
    action: NamedAction;
    /** Whom the levels name whose time has come. */
    user_ids: readonly (string | null)[];
  };
  issueChanged: {
    issue: NotifiedIssue;
    before: NotifiedIssue | undefined;
    /** Who looks after new issues of the category. */
    default_assignee_id: string | null;
  };
  issueOverdue: { issue: NotifiedIssue; default_assignee_id: string | null };
  certificateExpiring: CertificateFacts;
  certificateExpired: CertificateFacts;
  scheduleStopped: {
    schedule: NamedSchedule;
    problem: ScheduleProblem;
    /** The organization's admins, and who created the schedule. */
    user_ids: readonly string[];
  };
  scheduleIncomplete: {
    schedule: NamedSchedule;
    kind: MissingKind;
    /** Those that are missing, as far as they still have names. */
    names: readonly string[];
    /** Whether nobody is left to carry out the inspections. */
    isUnassigned: boolean;
    /** Who created the schedule, or the organization's admins; both when nobody named is left to approve. */
    user_ids: readonly string[];
  };
  syncEnded: {
    source: NamedSource;
    run: EndedRun;
    /** The run before it; null for the first one. */
    before: Pick<SyncRun, 'status' | 'error'> | null;
    /** The organization's admins, and who set up the source. */
    user_ids: readonly string[];
  };
  credentialRefused: {
    connection: NamedConnection;
    problem: Pick<IntegrationProblem, 'message'>;
    /** The organization's admins, and who set up the connection and its sources. */
    user_ids: readonly string[];
  };
  webhookDisabled: {
    webhook: NamedWebhook;
    /** Why the last delivery failed. */
    failure: string | null;
    /** The organization's admins, and who created the webhook. */
    user_ids: readonly string[];
  };
  /** Mails to people who are no members are not sent. */
  mailsPaused: {
    organization: NamedOrganization;
    reason: string;
    /** The organization's admins. */
    user_ids: readonly string[];
  };
}
export type Trigger = keyof Triggers;

/** The settings of a template family that name further people and addresses to notify. */
export type AudienceName = keyof FamilySettings['notifications'];

export interface EventRule<On extends Trigger> {
  trigger: On;
  /** The member's preference that switches the notification off. */
  kind: NotificationKind;
  /** Whether the trigger means this event; it always does when left out. */
  happened?(facts: Triggers[On]): boolean;
  /** User ids. Nulls, duplicates and the person who caused the event are removed afterwards. */
  recipients(facts: Triggers[On]): readonly (string | null)[];
  /** The family setting whose people and addresses are notified too. */
  audience?: AudienceName;
  /** The comment or reason that came with the event. */
  note?(facts: Triggers[On]): string | null;
}

type InspectionFacts = Triggers['inspectionChanged'];
type ActionFacts = Triggers['actionChanged'];

const nobody = (): [] => [];

/** The creator and all participants. */
const everyone = ({ inspection: { created_by, participants } }: InspectionFacts): string[] => [
  created_by,
  ...participants.map(({ user_id }) => user_id),
];

/**
 * The participants that a change adds. None for a correction: it changes a completed inspection, in which nobody has
 * anything left to do.
 */
const newParticipants = ({ inspection, before }: InspectionFacts): string[] => {
  if (inspection.status === 'completed') return [];
  const known = new Set(before?.participants.map(({ user_id }) => user_id));
  return inspection.participants.flatMap(({ user_id }) => (known.has(user_id) ? [] : [user_id]));
};

const signatories = ({ inspection: { participants } }: InspectionFacts): string[] =>
  participants.flatMap(({ role, user_id }) => (role === 'signatory' ? [user_id] : []));

/**
 * The status that the inspection left with this change. Undefined when the status stayed, when the inspection is new,
 * and when it was restored from the archive: its status was notified when the inspection first reached it.
 */
const statusLeft = ({ inspection, before }: InspectionFacts): InspectionStatus | undefined =>
  before?.status === inspection.status || before?.status === 'archived' ? undefined : before?.status;

const hasReached = (facts: InspectionFacts, status: InspectionStatus): boolean =>
  facts.inspection.status === status && statusLeft(facts) !== undefined;

const isDecided = (facts: InspectionFacts, outcome: Inspection['approval_outcome']): boolean =>
  statusLeft(facts) === 'pending_approval' &&
  facts.inspection.approval_outcome === outcome &&
  facts.before?.approval_outcome !== outcome;

/** Whether someone has reopened their part. When the approver requests changes, that is an event of its own. */
const isPartReopened = ({ inspection, before }: InspectionFacts): boolean => {
  if (before?.status !== 'in_progress' || inspection.status !== 'in_progress') return false;
  const previous = new Map(before.participants.map(({ user_id, reopened_at }) => [user_id, reopened_at]));
  return inspection.participants.some(
    ({ user_id, reopened_at }) => reopened_at && reopened_at !== previous.get(user_id),
  );
};

const inspectionComment = ({ inspection }: InspectionFacts): string | null => inspection.comment;

type CorrectionFacts = Triggers['correctionChanged'];

/** Whether a correction that awaited approval has been decided about, and has this status now. */
const isCorrectionDecided = (
  { correction, before }: CorrectionFacts,
  status: NotifiedCorrection['status'],
): boolean => before.status === 'pending_approval' && correction.status === status;

/** Who closed the correction that was decided about, and who opened it. */
const correctors = ({ correction: { opened_by }, before: { closed_by } }: CorrectionFacts) => [
  closed_by,
  opened_by,
];

const correctionComment = ({ correction }: CorrectionFacts): string | null => correction.comment ?? null;

/** Who created the action, who has to do it and who completed it. */
const actionMembers = ({ action, before }: ActionFacts): (string | null)[] => [
  action.created_by,
  action.assignee_id,
  before?.completed_by ?? null,
];

const hasActionReached = ({ action, before }: ActionFacts, status: NotifiedAction['status']): boolean =>
  before !== undefined && before.status !== status && action.status === status;

const ownersOfDueAction = ({ action }: Triggers['actionDeadline']): (string | null)[] => [
  action.assignee_id,
  action.created_by,
];

/** Nobody works on an archived inspection, so nobody is reminded of its actions. */
const needsReminder = ({ inspection }: Pick<Triggers['actionDeadline'], 'inspection'>): boolean =>
  inspection.status !== 'archived';

/**
 * Whether members do not know yet how a sync has ended. A scheduled sync that ends again with the same error is
 * notified only once, because it may run every quarter of an hour. A refused credential is notified as an event of its
 * connection.
 */
const isNews = ({ run, before }: Triggers['syncEnded']): boolean =>
  run.error?.code !== 'unauthorized' &&
  !(run.trigger === 'schedule' && before?.status === run.status && before.error?.code === run.error?.code);

const hasEndedAs = (facts: Triggers['syncEnded'], status: SyncRun['status']): boolean =>
  facts.run.status === status && isNews(facts);

/** The end of a certificate, or the time before it. */
const certificateEnds = <On extends 'certificateExpiring' | 'certificateExpired'>(
  trigger: On,
): EventRule<On> => ({
  trigger,
  kind: 'overdue_inspections',
  recipients: ({ user_ids }) => user_ids,
  audience: 'on_overdue',
  note: ({ certificate: { title, number, expires_at, timezone, names_then } }) =>
    [
      title,
      number,
      names_then.asset?.name ?? names_then.location?.name,
      localDate(expires_at, timezone),
    ].join(' · '),
});

type IncompleteFacts = Triggers['scheduleIncomplete'];

/** A schedule creates inspections, but not all of them, or for nobody. */
const incomplete = (happened: (facts: IncompleteFacts) => boolean): EventRule<'scheduleIncomplete'> => ({
  trigger: 'scheduleIncomplete',
  kind: 'overdue_inspections',
  happened,
  recipients: ({ user_ids }) => user_ids,
  note: ({ names }) => names.join(', '),
});

/**
 * Every event that members are notified of: what triggers it, and who is notified. When one change means several
 * events, they are sent in this order. The texts of the events are in `base/i18n/texts/notifications.ts`.
 */
export const EVENTS: Readonly<Record<NotificationEvent, { [On in Trigger]: EventRule<On> }[Trigger]>> = {
  inspection_assigned: {
    trigger: 'inspectionChanged',
    kind: 'new_assignments',
    recipients: newParticipants,
  },
  part_reopened: {
    trigger: 'inspectionChanged',
    kind: 'inspection_outcomes',
    happened: isPartReopened,
    recipients: (facts) => [...everyone(facts), ...approversOf(facts.inspection)],
  },
  changes_requested: {
    trigger: 'inspectionChanged',
    kind: 'approval_outcomes',
    happened: ({ inspection, before }) =>
      before !== undefined && isReturned(before.status, inspection.status),
    recipients: everyone,
    note: inspectionComment,
  },
  approved: {
    trigger: 'inspectionChanged',
    kind: 'approval_outcomes',
    happened: (facts) => isDecided(facts, 'approved'),
    recipients: everyone,
    note: inspectionComment,
  },
  rejected: {
    trigger: 'inspectionChanged',
    kind: 'approval_outcomes',
    happened: (facts) => isDecided(facts, 'rejected'),
    recipients: everyone,
    note: inspectionComment,
  },
  approval_requested: {
    trigger: 'inspectionChanged',
    kind: 'new_assignments',
    happened: (facts) => hasReached(facts, 'pending_approval'),
    recipients: ({ inspection, stand_ins = [] }) => [...decidersOf(inspection), ...stand_ins],
  },
  sign_off_requested: {
    trigger: 'inspectionChanged',
    kind: 'new_assignments',
    happened: (facts) => hasReached(facts, 'pending_sign_off'),
    recipients: signatories,
  },
  correction_approval_requested: {
    trigger: 'correctionChanged',
    kind: 'new_assignments',
    happened: ({ correction, before }) =>
      correction.status === 'pending_approval' && before.status !== 'pending_approval',
    recipients: ({ inspection, stand_ins = [] }) => [...decidersOf(inspection), ...stand_ins],
    note: ({ correction }) => correction.reason,
  },
  correction_approved: {
    trigger: 'correctionChanged',
    kind: 'approval_outcomes',
    happened: (facts) => isCorrectionDecided(facts, 'closed'),
    recipients: correctors,
    note: correctionComment,
  },
  correction_changes_requested: {
    trigger: 'correctionChanged',
    kind: 'approval_outcomes',
    happened: (facts) => isCorrectionDecided(facts, 'open'),
    recipients: correctors,
    note: correctionComment,
  },
  correction_rejected: {
    trigger: 'correctionChanged',
    kind: 'approval_outcomes',
    happened: (facts) => isCorrectionDecided(facts, 'rejected'),
    recipients: correctors,
    note: correctionComment,
  },
  completed: {
    trigger: 'inspectionChanged',
    kind: 'inspection_outcomes',
    happened: (facts) => hasReached(facts, 'completed'),
    recipients: everyone,
    audience: 'on_completed',
  },
  overdue: {
    trigger: 'inspectionOverdue',
    kind: 'overdue_inspections',
    recipients: ({ inspection: { participants, created_by } }) => [
      ...unsubmitted(participants).map(({ user_id }) => user_id),
      created_by,
    ],
    audience: 'on_overdue',
  },
  finding_created: {
    trigger: 'findingCreated',
    kind: 'inspection_outcomes',
    recipients: nobody,
    audience: 'on_finding',
  },
  corrective_action_assigned: {
    trigger: 'actionChanged',
    kind: 'new_assignments',
    happened: ({ action, before }) => action.assignee_id !== before?.assignee_id,
    recipients: ({ action }) => [action.assignee_id],
  },
  corrective_action_completed: {
    trigger: 'actionChanged',
    kind: 'inspection_outcomes',
    happened: (facts) => hasActionReached(facts, 'pending_verification'),
    recipients: actionMembers,
    note: ({ action }) => action.completion_note,
  },
  corrective_action_verified: {
    trigger: 'actionChanged',
    kind: 'inspection_outcomes',
    happened: (facts) => hasActionReached(facts, 'verified'),
    recipients: actionMembers,
    note: ({ action }) => action.verification_note,
  },
  corrective_action_declined: {
    trigger: 'actionChanged',
    kind: 'inspection_outcomes',
    happened: ({ action, before }) =>
      before?.status === 'pending_verification' && action.status === 'in_progress',
    recipients: actionMembers,
    note: ({ action }) => action.verification_note,
  },
  corrective_action_reopened: {
    trigger: 'actionChanged',
    kind: 'inspection_outcomes',
    happened: (facts) => hasActionReached(facts, 'open'),
    recipients: actionMembers,
    note: ({ action }) => action.reopen_reason,
  },
  corrective_action_contact_wrote: {
    trigger: 'contactWrote',
    kind: 'inspection_outcomes',
    recipients: ({ action }) => [action.assignee_id ?? action.created_by],
    note: ({ note }) => note,
  },
  corrective_action_due_soon: {
    trigger: 'actionDeadline',
    kind: 'ca_due_soon',
    happened: (facts) => needsReminder(facts) && !facts.isDue,
    recipients: ownersOfDueAction,
  },
  corrective_action_due: {
    trigger: 'actionDeadline',
    kind: 'ca_due',
    happened: (facts) => needsReminder(facts) && facts.isDue,
    recipients: ownersOfDueAction,
  },
  corrective_action_escalated: {
    trigger: 'actionEscalated',
    kind: 'ca_due',
    happened: needsReminder,
    recipients: ({ user_ids }) => user_ids,
  },
  issue_reported: {
    trigger: 'issueChanged',
    kind: 'new_assignments',
    happened: ({ issue, before, default_assignee_id }) =>
      before === undefined && issue.assignee_id !== default_assignee_id,
    recipients: ({ default_assignee_id }) => [default_assignee_id],
  },
  issue_assigned: {
    trigger: 'issueChanged',
    kind: 'new_assignments',
    happened: ({ issue, before }) => issue.assignee_id !== (before?.assignee_id ?? null),
    recipients: ({ issue }) => [issue.assignee_id],
  },
  issue_overdue: {
    trigger: 'issueOverdue',
    kind: 'overdue_inspections',
    recipients: ({ issue, default_assignee_id }) => [issue.assignee_id ?? default_assignee_id],
  },
  certificate_expiring: certificateEnds('certificateExpiring'),
  certificate_expired: certificateEnds('certificateExpired'),
  schedule_stopped: {
    trigger: 'scheduleStopped',
    kind: 'overdue_inspections',
    recipients: ({ user_ids }) => user_ids,
    note: ({ problem }) => problem.message,
  },
  schedule_location_deleted: incomplete(({ kind }) => kind === 'location_deleted'),
  schedule_location_inactive: incomplete(({ kind }) => kind === 'location_inactive'),
  schedule_assignee_left: incomplete(({ kind, isUnassigned }) => kind === 'assignee_left' && !isUnassigned),
  schedule_unassigned: incomplete(({ kind, isUnassigned }) => kind === 'assignee_left' && isUnassigned),
  schedule_approver_left: incomplete(({ kind }) => kind === 'approver_left'),
  sync_failed: {
    trigger: 'syncEnded',
    kind: 'sync_status',
    happened: (facts) => hasEndedAs(facts, 'failed'),
    recipients: ({ user_ids }) => user_ids,
    note: ({ run }) => run.error?.message ?? null,
  },
  sync_incomplete: {
    trigger: 'syncEnded',
    kind: 'sync_status',
    happened: (facts) => hasEndedAs(facts, 'partial'),
    recipients: ({ user_ids }) => user_ids,
    note: ({ run }) => run.error?.message ?? null,
  },
  credential_refused: {
    trigger: 'credentialRefused',
    kind: 'sync_status',
    recipients: ({ user_ids }) => user_ids,
    note: ({ problem }) => problem.message,
  },
  webhook_disabled: {
    trigger: 'webhookDisabled',
    kind: 'sync_status',
    recipients: ({ user_ids }) => user_ids,
    note: ({ failure }) => failure,
  },
  mails_paused: {
    trigger: 'mailsPaused',
    kind: 'sync_status',
    recipients: ({ user_ids }) => user_ids,
    note: ({ reason }) => reason,
  },
};
