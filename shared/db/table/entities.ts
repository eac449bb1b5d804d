import type { KeyCaller } from '../../base/caller.ts';
import type { QueueName } from '../../base/queues.ts';
import type { CorrectionStage } from '../../domain/inspections/workflow.ts';
import type { MemberKey } from '../../domain/members.ts';
import type { About, MailItem } from '../../domain/notifications/mail.ts';
import type { SettingChanges } from '../../domain/settings.ts';
import type { ActorKind, AuditedAction } from '../../schemas/audit.ts';
import type { ClientAccount } from '../../schemas/client-account.ts';
import type { Activity, Attachment, CorrectiveAction } from '../../schemas/corrective-action.ts';
import type { Document, NewUpload } from '../../schemas/document.ts';
import type { EventType } from '../../schemas/event-data.ts';
import type { Event } from '../../schemas/event.ts';
import type { Finding } from '../../schemas/finding.ts';
import type { InspectionActivity } from '../../schemas/inspections/activity.ts';
import type { AnswerRecord, Instance } from '../../schemas/inspections/answer.ts';
import type { Correction, Revision } from '../../schemas/inspections/correction.ts';
import type { Inspection, InspectionStatus } from '../../schemas/inspections/inspection.ts';
import type { Location } from '../../schemas/location.ts';
import type { Member } from '../../schemas/member.ts';
import type { Notification } from '../../schemas/notification.ts';
import type { Organization } from '../../schemas/organization.ts';
import type { Preferences } from '../../schemas/preferences.ts';
import type { ProfileChanges } from '../../schemas/profile.ts';
import type { ReportEmail } from '../../schemas/reports/report-email.ts';
import type { BulkExportItem, BulkExportSummary, ReportExport } from '../../schemas/reports/report-export.ts';
import type { StoredLayoutContent } from '../../schemas/reports/report-layout-content.ts';
import type { Report } from '../../schemas/reports/report.ts';
import type { ShareLink } from '../../schemas/reports/share-link.ts';
import type { Family, FamilySettings } from '../../schemas/templates/family.ts';
import type { ReportLayout } from '../../schemas/templates/report-layout.ts';
import type { TemplateVersion } from '../../schemas/templates/template.ts';
import type {
  SourceState,
  StoredCandidate,
  StoredConnection,
  StoredSource,
  SyncedList,
} from './entities/integrations.ts';

export * from './entities/integrations.ts';
import type { IssueDeadline, StoredIssue, StoredIssueCategory } from './entities/issues.ts';

export type * from './entities/issues.ts';
import type { StoredSchedule } from './entities/schedules.ts';

export type * from './entities/schedules.ts';
import type { Invitation, MemberIdentity } from './entities/people.ts';
import type { Recorded } from './entities/recorded.ts';
import type { Tasks } from './tasks.ts';

export * from './entities/people.ts';
import type { StoredWebhook, WebhookState } from './entities/webhooks.ts';

export type * from './entities/webhooks.ts';

/**
 * What each row of the table holds beside its key. The functions of `keys` give every key the type of its row, so
 * that what is read by a key has this type without a cast.
 */

/** A resource that can be edited. A write is conditional on the version that was read. */
export interface Versioned {
  id: string;
  version: number;
  created_at: string;
  updated_at: string;
}

/* Organizations, members and keys */

/** The row by which a request authenticates. The key itself is not stored; its hash is the partition key. */
export interface KeyRow {
  org_id: string;
  key_id: string;
  user_id: string;
  name: string;
  access: KeyCaller['access'];
  /** Absent from keys that act for themselves only. */
  act_for_members?: true;
  /** The clock minute that `count` belongs to. */
  minute: number;
  /** Requests in that minute. */
  count: number;
  last_used_at?: string;
  /** Random, made when the key is first used. */
  cursor_secret?: string;
  revoked_at?: string;
  /** Epoch milliseconds. */
  valid_until?: number;
  /** The leases of long replies that are being sent; see `long-replies.ts`. */
  long_replies?: ReadonlySet<string>;
}

/** A key in the organization's list. What changes with each request is in the row by hash. */
export interface KeyEntry {
  id: string;
  hash: string;
  name: string;
  prefix: string;
  access: KeyCaller['access'];
  /** Absent from keys that act for themselves only. */
  act_for_members?: true;
  user_id: string;
  created_at: string;
  expires_at: string | null;
}

/** The logo is an object in the bucket. Its URL is signed when the organization is read. */
export type StoredOrganization = Omit<Organization, 'logo_url' | 'reply_to_confirmed'> & {
  logo_key: string | null;
  /** Bytes of the logo. Absent before the first one. */
  logo_bytes?: number;
};

/** The member's own locale and time zone appear only in its profile. */
export type StoredMember = Omit<Member, 'invitation_expires_at'> &
  Versioned &
  Pick<ProfileChanges, 'locale' | 'timezone'> & {
    /** Of the key whose service identity this is. Absent from people, and from identities that are older than it. */
    key?: MemberKey;
    /** Absent until somebody has signed in as this member. */
    identity?: MemberIdentity;
    /** Absent unless the member is invited. */
    invitation?: Invitation;
    /** Epoch milliseconds: when a suspension ended. All older sessions have ended with it. */
    sessions_from?: number;
  };

/** `ui` is stored as text, because a row allows fewer levels of nesting than JSON. */
export interface StoredPreferences {
  ui: string;
  notifications: Preferences['notifications'];
  version: number;
}

/** Who made such a change, and when. Kept for 400 days. */
export interface AuditRecord {
  id: string;
  action: AuditedAction;
  target_id: string;
  actor_id: string;
  /** The name at that time. Records that are older than these two lack them. */
  actor_name?: string;
  actor_kind?: ActorKind;
  acted_via_key_id?: string;
  at: string;
  /** Only of settings. */
  changes?: SettingChanges;
}

/* Addresses outside the organization, and public links */

/** What is known of an email address that an organization sends to. */
export interface StoredAddress {
  /** Case-folded. */
  address: string;
  /** What its owner has answered; null before the first answer. */
  answer: 'confirmed' | 'refused' | null;
  answered_at: string | null;
  /** When it was last asked whether it wants mails, and by which mail. */
  asked_at: string | null;
  asked_by: string | null;
  /** Set while nothing may be sent because of what became of earlier mails, whatever the owner has answered. */
  suppressed: { reason: SuppressionReason; at: string } | null;
  version: number;
  created_at: string;
  updated_at: string;
}

/** Why nothing may be sent to an address: a mail bounced for good, or its owner reported one as unwanted. */
export type SuppressionReason = 'bounced' | 'complained';

/** What a public link leads to, by its purpose. */
export interface LinkTargets {
  /** The question to an address whether it wants mails. */
  confirm: { address: string };
  /** The end of all mails to an address. */
  stop: { address: string };
  /** An invitation to become a member. */
  invite: { user_id: string; invitation_id: string };
  /** A report that is shared with whoever has the link. */
  share: { inspection_id: string; report_id: string; share_link_id: string };
  /** The form by which anyone who has the link reports an issue of a category. */
  issue: { category_id: string; public_link_id: string };
  /** A corrective action, for its contact outside the organization. */
  action: { inspection_id: string; action_id: string; link_id: string };
}
export type LinkPurpose = keyof LinkTargets;

/** A public link. Its token is not stored; the token's hash is the partition key. */
export interface LinkRow<Purpose extends LinkPurpose = LinkPurpose> {
  org_id: string;
  purpose: Purpose;
  target: LinkTargets[Purpose];
  /** Epoch seconds; the link works until then. Absent where what it leads to says until when. */
  ttl?: number;
}

/** How often something was requested within a period. */
export interface VisitCount {
  count: number;
  /** Epoch seconds. */
  ttl: number;
}

/* Clients, locations and documents */

/** The number of locations is counted in the account's usage rows. */
export type StoredClientAccount = Omit<ClientAccount, 'locations_count' | keyof SyncedFrom> & Partial<Synced>;

/** Where a resource that is synced comes from. */
type SyncedFrom = Pick<Location, 'source' | 'source_id' | 'external_id' | 'synced_at'>;

/** Of a resource that is synced. */
export type Synced = SyncedFrom & {
  /** The fields that its source fills, which nobody changes by hand. */
  synced_fields: string[];
};

/** `lineage` holds the ids of the locations above this one when it was placed there, nearest first. */
export type StoredLocation = Location & { lineage: string[] } & Partial<Pick<Synced, 'synced_fields'>>;

/** Changes of `used_by_count` update the row in place, so the row is never replaced. */
export type StoredDocument = Document & Versioned;

/** A file that a client may upload directly to the bucket. Its id becomes the document's id. */
export type PendingUpload = Pick<NewUpload, 'file_name' | 'size_bytes'> & { id: string; opened_at: string };

/* Templates */

/** The published version, with what a new inspection copies from it. */
export interface CurrentVersion {
  template_id: string;
  version_number: number;
  content_hash: string;
  /** Number of fields that take an answer. A field in a repeat section counts once. */
  total: number;
  /** Number of these that are always required. */
  required: number;
}

/** The status and `current_version_id` are derived from the other fields. */
export type StoredFamily = Omit<Family, 'status' | 'current_version_id'> & {
  current: CurrentVersion | null;
  /** The number of the newest version, draft or not. */
  last_version_number: number;
};

/** The content has its own row. `total` and `required` are the progress that a new inspection starts with. */
export type StoredTemplate = TemplateVersion & {
  total: number;
  required: number;
  /** The lists of sources from which publishing took options, by the ids of the sources. */
  lists: Readonly<Record<string, SyncedList>>;
};

/** Lists a version among the versions of its family. */
export interface VersionPlace {
  template_id: string;
}

/** A version's content. */
export interface ContentRow {
  /** Gzipped canonical JSON. */
  body: Uint8Array;
  content_hash: string;
}

/** The family's settings say which layout is the default. */
export type StoredLayout = Omit<ReportLayout, 'is_default' | 'include' | 'language'> &
  Pick<StoredLayoutContent, 'include' | 'language'>;

/** The case-folded names of a family's layouts, by layout id. Each change of the layouts replaces this row. */
export interface LayoutNames {
  names: Record<string, string>;
  version: number;
}

/* Inspections */

/**
 * An inspection with the settings that were agreed when it was created. The row is updated in place and never
 * replaced, because saved answers and findings change its counters without changing its version.
 */
export type StoredInspection = Omit<
  Inspection,
  | 'is_overdue'
  | 'is_missed'
  | 'progress'
  | 'issue_id'
  | 'prefill_from_inspection_id'
  | 'correction_status'
  | ReinspectionField
> & {
  /** Absent from inspections that are older than re-inspections. */
  [Field in ReinspectionField]?: Inspection[Field];
} & {
  /** Absent from inspections that could not be started from an earlier one yet. */
  prefill_from_inspection_id?: Inspection['prefill_from_inspection_id'];
  /** Absent from inspections that are older than issues. */
  issue_id?: Inspection['issue_id'];
  /** The content hash of the template version that the inspection uses. */
  content_hash: string;
  /** The progress that an inspection of that version starts with. */
  asked: { total: number; required: number };
  /** Number of fields that take an answer now. Conditions and repeat sections change it. */
  total: number;
  /** Number of these that are required. */
  required: number;
  approval: FamilySettings['approval'];
  sign_off: FamilySettings['sign_off'];
  /** Number of records that hold an answer. */
  answered: number;
  /** Increased with each saved answer, so that a decision on all answers can detect a new one. */
  answers_revision: number;
  /** Increased with each change of a finding or corrective action: a report may then be out of date. */
  findings_revision: number;
  /** Where the active correction is; null when there is none. */
  correction_stage: CorrectionStage | null;
  /** Number of changes in the active correction. */
  correction_revisions: number;
  /** Whether the findings that have passed in a completed re-inspection are still to be resolved. */
  is_resolving?: boolean;
  /** Increased with each new finding, action or report, so that a deletion of the inspection misses none. */
  parts_revision: number;
};

type ReinspectionField = 'reinspection_of_id' | 'reinspection_scope' | 'reinspections_count';

/** Whether an answer is active and how it scores is computed when it is read. */
export type StoredAnswer = Omit<
  Recorded<AnswerRecord>,
  | 'is_active'
  | 'score'
  | 'max_score'
  | 'is_prefilled'
  | 'is_carried_over'
  | 'is_asked_again'
  | 'earlier_finding_id'
  | 'client_answered_at'
> & {
  /** Absent from all answers but those that a re-inspection has taken over. */
  is_carried_over?: true;
  /** Absent from all records but those that a re-inspection asks again. */
  is_asked_again?: true;
  /** The finding that was open at the field when the re-inspection was created. It may have been deleted. */
  earlier_finding?: { inspection_id: string; id: string };
  /** Absent from answers that are older than it, and from those that nobody has given. */
  client_answered_at?: AnswerRecord['client_answered_at'];
  /** Absent from an answer that somebody has given or confirmed. */
  is_prefilled?: true;
  /** The finding that the failed answer led to. It may have been deleted. */
  finding_id: string | null;
  /** The `client_mutation_id`s of the latest saves, oldest first. */
  mutation_ids: string[];
};

/**
 * Which fields of an inspection are answered, and the answers that conditions and formulas use, in one row, so that
 * saving one answer costs the same however many there are. It is written in the same transaction as the answers, and
 * only where the content has conditions, formulas or repeat sections.
 */
export interface AnswerState {
  /** Gzipped JSON: for each field, by its position in the content, its instances by their indexes. */
  body: Uint8Array;
  version: number;
}

/** An instance of a repeat section whose index is reserved for a client. */
export type StoredInstance = Instance;

/** The number of changes in the active correction is on the inspection's row. */
export type StoredCorrection = Omit<Correction, 'number' | DecisionField> &
  // Corrections that are older than decisions lack these.
  Partial<Pick<Correction, 'number' | DecisionField>>;

type DecisionField = 'decision' | 'decided_by' | 'decided_via_key_id' | 'decided_at' | 'comment';

/** A correction's change. Its text is not searched for documents: a revision does not count as a use of one. */
export interface StoredRevision {
  id: string;
  sequence: number;
  answer_source: Revision['answer_source'];
  /** JSON. */
  body: string;
}

/** An entry of an inspection's history. */
export type StoredInspectionActivity = Recorded<InspectionActivity> & { updated_at: string };

type ResolutionField = 'resolved_at' | 'resolved_by' | 'resolved_by_inspection_id';

/** The location of the instance of a repeat section that a finding and its actions are in. */
interface OwnLocation {
  /** Null or absent where the instance has none. */
  location_id?: string | null;
}

/** Findings that are older than re-inspections do not say how they were resolved. */
export type StoredFinding = Omit<Finding, ResolutionField | 'location_id'> &
  Partial<Pick<Finding, ResolutionField>> &
  OwnLocation & {
    /** The version in which the answer gave it its severity; absent while that is the first. Later ones are people's. */
    graded_version?: number;
  };

/** The client account and whether an action is overdue come from its inspection and the time. */
export type StoredAction = Omit<
  CorrectiveAction,
  | 'client_account_id'
  | 'location_id'
  | 'is_overdue'
  | 'issue_id'
  | 'completed_on_site'
  | 'verified_via_key_id'
  | 'contact_link'
  | ContactField
> &
  OwnLocation &
  // Absent from actions that are older than contacts.
  Partial<Pick<CorrectiveAction, ContactField>> & {
    /** Absent from actions that were never verified or reopened since there is this field. */
    verified_via_key_id?: CorrectiveAction['verified_via_key_id'];
    /** Absent from actions that are older than issues. */
    issue_id?: CorrectiveAction['issue_id'];
    /** Absent from actions that were not. */
    completed_on_site?: boolean;
    /** The link that the contact was sent last. */
    contact_link?: StoredContactLink | null;
    /** What became of the mail with a link. Written in place, without a new version. */
    contact_link_mailed?: { link_id: string; at: string; error: string | null };
    /** When a link was opened last. Written in place as well. */
    contact_link_opened?: { link_id: string; at: string };
  };

type ContactField = 'contact' | 'completed_by_contact';

/** A link that works as long as its action names it. */
export interface StoredContactLink {
  id: string;
  requested_at: string;
  expires_at: string;
  /** Signs the forms of its page. */
  form_secret: string;
}

/** A form that a contact has sent, so that the same form is taken once. */
export interface ContactForm {
  /** Epoch seconds. */
  ttl: number;
}

/** An entry of an action's history. */
export type StoredActivity = Recorded<Activity> & { updated_at: string };

/** The file's name, type and size are in the document's row. */
export type StoredAttachment = Omit<Attachment, 'file_name' | 'mime_type' | 'size_bytes'>;

/** Whether a report is current or stale is computed from its inspection. */
export type StoredReport = Omit<Report, 'is_current' | 'is_stale' | 'is_draft' | 'language'> & {
  /** Reports that are older than these two lack them. */
  is_draft?: boolean;
  language?: Report['language'];
  /** The language that the request names; null for that of the layout or the organization. */
  wanted_language?: Report['language'];
  /** The state of the inspection that the report shows, once it is rendered. */
  shows: string | null;
  /** Bytes of the PDF, once it is rendered. */
  size_bytes: number | null;
  /** Bytes of the payload as it is stored, gzipped. */
  payload_bytes: number | null;
  sha256: string | null;
  /** Number of exports that were created, so that two concurrent requests do not create the same one. */
  exports: number;
  /** Number of mails that are sent once the report is rendered. Absent where none was requested. */
  emails_waiting?: number;
  /** Increased with each new export, mail or share link, so that a deletion of the report misses none. Absent before the first. */
  parts_revision?: number;
};

/** The size and hash of a file that was made. */
export interface ExportedFile {
  size_bytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/**
 * An export of a report. Until the report is ready, its status follows from the report; that of a PDF always does, like
 * its size and hash.
 */
export type StoredExport = Omit<ReportExport, 'status' | 'url' | 'filename'> & {
  status: Exclude<ReportExport['status'], 'expired'>;
  /** Moves with every attempt to make the file; at the end it is that of the attempt that has made it. */
  turn: number;
};

/** A bulk export. Its inspections and their reports stand below it. */
export type StoredBulkExport = Omit<BulkExportSummary, 'status' | 'url'> & {
  status: Exclude<BulkExportSummary['status'], 'expired'>;
  /** Moves with every turn of the worker, so that two never work on it at once. */
  turn: number;
  /** Until when a worker holds it, in epoch milliseconds; 0 when none does. */
  leased_until: number;
  /** How often a worker left the rest to a new task. Tasks before that have nothing to do any more. */
  handed_on: number;
};

/** The inspections of a bulk export in the order of its file. */
export interface BulkSelection {
  inspection_ids: string[];
}

/** How far the report of one inspection of a bulk export is. */
export type StoredBulkItem = BulkExportItem & {
  /** How often the worker began to make it. */
  attempts: number;
};

/** A mail of a report. Its status is that of its recipients. */
export interface StoredReportEmail extends Omit<ReportEmail, 'status'> {
  report_id: string;
  inspection_id: string;
  reply_to: string | null;
  body: string;
  include_link: boolean;
  updated_at: string;
  version: number;
}

/** A link to a report for whoever has it. The link's own row has its token's hash and leads here. */
export type StoredShareLink = Omit<ShareLink, 'url' | 'status'> & {
  /** Epoch seconds. */
  ttl: number;
};

/** Number of reports that an inspection has had. */
export interface ReportCount {
  last: number;
}

/** Leads from the id of a finding, action or report to its inspection. */
export interface ChildReference {
  inspection_id: string;
}

/** A due date. A worker finds the row by `by_due` until the last reminder is sent. */
export interface Deadline {
  org_id: string;
  inspection_id: string;
  /** Set for an action's due date, absent for the inspection's own. */
  corrective_action_id?: string;
  due_at: string;
  version: number;
  /** How often its notifications failed for a reason that lasts. Absent before the first time. */
  attempts?: number;
  by_due?: string;
  by_due_at?: string;
}

/* Notifications and mails */

/** Unread and read notifications are in different partitions, so that the unread ones can be counted. */
export type StoredNotification = Omit<
  Notification,
  'is_read' | 'issue_id' | 'schedule_id' | 'source_id' | 'connection_id' | 'webhook_id'
> & {
  /** Absent from notifications that are older than issues. */
  issue_id?: Notification['issue_id'];
  /** Absent from notifications that are older than schedules. */
  schedule_id?: Notification['schedule_id'];
  /** Absent from notifications that are older than integrations. */
  source_id?: Notification['source_id'];
  connection_id?: Notification['connection_id'];
  /** Absent from notifications that are older than webhooks. */
  webhook_id?: Notification['webhook_id'];
  /**
   * The records that the title names, from which it is said in the reader's language. Absent from notifications that are
   * older than it: `title` is what they say in English.
   */
  about?: About;
};

/** What the next mail to a recipient says so far. */
export interface MailBatch {
  /** Null for a member, who is mailed at the address that they have by then. */
  address: string | null;
  items: MailItem[];
  /** Number of events that the mail has no room for. */
  left_out: number;
}

/** Collects for a short time what a recipient is to hear of, so that it is one mail. */
export type Mailbox = MailBatch & {
  /** The mail that takes it all. */
  batch_id: string;
  /** When that mail's task was last given to the worker, in epoch milliseconds. */
  scheduled_at: number;
  version: number;
};

/** One mail to one recipient, or one notice that waits in the recipient's mailbox. */
export interface MailDelivery {
  /**
   * `collected`: the notice is in the mailbox, or in a mail that was sent. `refused`: the mail service rejected the mail
   * for good. `over_limit`: the organization had sent too many that day.
   */
  state: 'collected' | 'sending' | 'sent' | 'refused' | 'over_limit';
  /** What the mail says, taken from the mailbox. */
  batch?: MailBatch;
  /** Why the mail service refused it. */
  detail?: string;
  /** Epoch milliseconds. */
  leased_until: number;
  version: number;
  /** Epoch seconds. */
  ttl: number;
}

/* Counters, unique values and requests */

/** Who uses a resource, and how often. */
export type Used = {
  inspections?: number;
  locations?: number;
  issues?: number;
  schedules?: number;
};

/** One shard of a resource's usage. `closed` is set when the resource is deleted. */
export type Usage = Used & { closed?: boolean };

/** One shard of an organization's counters. */
export interface Counters {
  /** Inspections by status. */
  INSPECTION: Partial<Record<InspectionStatus, number>>;
  /** Changes of the order or membership of the lists of locations. */
  LOCATION: { changes?: number };
}

/** One shard of the bytes that an organization stores, or its own maximum. */
export interface StorageRow {
  bytes?: number;
  max_bytes?: number;
}

/** Bytes of the export files that were made on a day. */
export interface ExportedBytes {
  bytes: number;
}

/** The last number that was given. */
export interface Sequence {
  last: number;
}

/** The numbers of events, and how many endpoints are to get them: who numbers an event sees at once whether any is. */
export interface EventSequence {
  /** The last number that was given. Absent before the first. */
  last?: number;
  /** Number of endpoints. */
  webhooks?: number;
  /** Number of those that are active. */
  active_webhooks?: number;
}

/** The resource that has a unique value. */
export interface UniqueValue {
  id: string;
}

/** Where a page of a list ended: the sort key of its last row, and the state of the list then. */
export interface PageEnd {
  after: string;
  epoch: string;
}

/** A request's claim on its idempotency key, and its reply once it has completed. */
export interface IdempotencyRow {
  state: 'running' | 'completed';
  lease: string;
  /** Epoch milliseconds. */
  leased_until: number;
  body_hash: string;
  status?: number;
  /** Gzipped. */
  body?: Uint8Array;
  /** Number of rows that hold the body, this one included. */
  parts?: number;
}

/** The continuation of a reply that is too large for one row. */
export interface IdempotencyPart {
  body: Uint8Array;
}

/* Events and tasks */

/** An event in an organization's sequence. */
export type StoredEvent = Omit<Event, 'organization_id' | 'acted_via_key_id' | 'data'> & {
  acted_via_key_id?: string;
  org_id: string;
  /** When it got its number. The times ascend with the numbers, up to the differences of clocks. */
  recorded_at: string;
  /** The event's data as gzipped JSON: smaller than its resource's row, and always the same bytes. */
  body: Uint8Array;
  /** Epoch seconds. */
  ttl: number;
};

/**
 * What a change leaves for others to act on, written in its own transaction. The stream hands each row on; the sweeper
 * finds rows that are left.
 */
export interface InOutbox {
  id: string;
  org_id: string;
  occurred_at: string;
  actor_id: string;
  acted_via_key_id?: string;
  /** The request that made the change. */
  request_id?: string;
  /** How often it was refused by its queue, or could not become an event. Absent before the first time. */
  attempts?: number;
  by_due: string;
  by_due_at: string;
}

/** An event, for those who follow the organization. */
export interface OutboxEvent extends InOutbox {
  /** The stream's filter selects rows that have this attribute. */
  outbox: 'event';
  type: EventType;
  /** See `StoredEvent`. In a record of the stream it may be base64. */
  body: Uint8Array;
}

/** A task for the worker of a queue; of any queue where none is named. */
export type OutboxTask<Queue extends QueueName = QueueName> = {
  [Name in Queue]: InOutbox & {
    outbox: Name;
    /** The worker's message. */
    data: Tasks[Name];
    /** How long it waits in its queue before a worker gets it. */
    delay_seconds?: number;
  };
}[Queue];

export type OutboxRow = OutboxEvent | OutboxTask;

/** Work that failed at every attempt and that nobody tries again, with the reason. It is kept until somebody redrives or drops it. */
export interface DeadLetter {
  /** The id of the event or task; of a deadline, the id of its inspection, corrective action or issue. */
  id: string;
  org_id: string;
  what: OutboxRow['outbox'] | 'deadline';
  reason: string;
  attempts: number;
  failed_at: string;
  /** What was to be done, as its row or its queue had it. */
  work: Record<string, unknown>;
  by_due: string;
  by_due_at: string;
}

/* What stands where */

/** The rows that are found when their time has come: to hand them on, to send a reminder, or for the platform team. */
export interface DueRows {
  OUTBOX: OutboxRow;
  SCHEDULE: StoredSchedule & { by_due?: string; by_due_at?: string };
  DEADLINE: Deadline | IssueDeadline;
  DEAD_LETTER: DeadLetter;
  SYNC: SourceState;
  WEBHOOK: WebhookState;
}

/** The row of a resource in the partition of its kind. */
export interface Resources {
  KEY: KeyEntry;
  MEMBER: StoredMember;
  PREFERENCES: StoredPreferences;
  CLIENT: StoredClientAccount;
  LOCATION: StoredLocation;
  DOCUMENT: StoredDocument;
  UPLOAD: PendingUpload;
  FAMILY: StoredFamily;
  TEMPLATE: StoredTemplate;
  INSPECTION: StoredInspection;
  SCHEDULE: StoredSchedule;
  BULK_EXPORT: StoredBulkExport;
  CONNECTION: StoredConnection;
  SOURCE: StoredSource;
  CANDIDATE: StoredCandidate;
  ISSUE_CATEGORY: StoredIssueCategory;
  ISSUE: StoredIssue;
  WEBHOOK: StoredWebhook;
}

/** Resources whose rows stand in a partition of their kind under their id. */
export type Kind = keyof Resources;

/** Kinds whose resources can be edited. */
export type VersionedKind = { [K in Kind]: Resources[K] extends Versioned ? K : never }[Kind];

/** The row of a child of an inspection that is also addressed by its own id. */
export interface Children {
  FINDING: StoredFinding;
  ACTION: StoredAction;
  REPORT: StoredReport;
}

/** Children of an inspection that are also addressed by their own id. */
export type ChildKind = keyof Children;
