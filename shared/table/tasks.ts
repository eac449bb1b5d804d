import type { QueueName } from '../base/queues.ts';
import type { AccessEvent } from '../domain/mail/access.ts';
import type { MailItem } from '../domain/notifications/mail.ts';
import type { TargetRef } from '../schemas/integrations/source.ts';
import type { MailFeedback } from '../schemas/mail.ts';
import type { NotificationKind } from '../schemas/preferences.ts';
import type { LinkTargets, StoredMember } from './entities/organization.ts';

/** The tasks of each queue, as changes enqueue them and as its worker gets them. */
export interface Tasks extends Record<QueueName, object> {
  render: RenderTask;
  export: ExportTask;
  bulk: BulkTask;
  cleanup: CleanupTask;
  mail: MailTask;
  sync: SyncTask;
  webhooks: WebhookTask;
  /** What the mail service puts into the queue. */
  feedback: MailFeedback;
}

/** Render a report. */
export interface RenderTask {
  inspection_id: string;
  report_id: string;
}

/** Make the file of an export. */
export interface ExportTask {
  inspection_id: string;
  report_id: string;
  export_id: string;
}

/** Work on a bulk export, as long as one run may take. */
export interface BulkTask {
  bulk_export_id: string;
  /** How often it was handed on before. */
  handed_on: number;
}

/** Go on with a change that needs several transactions, or delete files. */
export type CleanupTask = RemainsTask | FilesTask;

/**
 * Delete what belonged to a deleted resource, let schedules follow a location or a visit, change what a schedule has
 * created, resolve the findings that a completed re-inspection has left open, let those of an inspection follow it to
 * another location, make them agree with the questions that conditions hide, or count an inspection that no event tells of.
 */
export type RemainsTask =
  | ClientTask
  | { inspection_id: string }
  | { reinspection_id: string }
  | { moved_inspection_id: string }
  | { turned_inspection_id: string }
  | { asset_id: string }
  | { decommissioned_asset_id: string }
  | { merged_location_id: string }
  | TransferTask
  | BulkChangeTask
  | { issue_category_id: string }
  | { template_family_id: string }
  | { schedule_id: string }
  | LocationTask
  | CreatedTask
  | VisitedTask
  | { webhook_id: string };

/** Delete what belonged to a deleted client account. */
export interface ClientTask {
  client_account_id: string;
}

/** Let schedules, and what they have created, follow a location that was deleted, or whose status has changed. */
export interface LocationTask {
  location_id: string;
  /** Take a deleted one out of the schedules that name it. */
  from_schedules?: 'remove';
}

/** Go on with a bulk change, as long as one run may take. */
export interface BulkChangeTask {
  bulk_change_id: string;
  /** How often it was handed on before. */
  handed_on: number;
}

/** Go on with the transfer of a location. */
export interface TransferTask {
  transfer_id: string;
  /** Once all locations were taken: the id of the last one at which all that is open has followed; empty before the first. */
  after?: string;
}

/** Change the inspections that a schedule has created and nobody has started, after the schedule was changed or deleted. */
export interface CreatedTask {
  created_by_schedule: string;
  policy: 'update' | 'archive';
  reason: 'schedule_changed' | 'schedule_deleted';
  /** ISO 8601: those that were created up to then. */
  until: string;
  /** The id of the last one that was dealt with. */
  after?: string;
}

/** Bring the next visit of a place up to date, after one of its visits has changed. */
export interface VisitedTask {
  visited_by_schedule: string;
  /** The id of the location or asset. */
  visited_id: string;
}

/** Delete the files of reports, to which no row leads. */
export interface FilesTask {
  report_ids: string[];
}

/** Collect or send mails. */
export type MailTask =
  | NoticeTask
  | HeldNoticesTask
  | DigestTask
  | QuestionTask
  | InvitationTask
  | AccessTask
  | ContactLinkTask
  | ContactReminderTask
  | SignatureLinkTask
  | ClientDigestTask
  | ReportMailTask;

/** Collect a notice in the mailboxes of everybody who may get it. */
export interface NoticeTask {
  what: 'notice';
  mail_id: string;
  kind: NotificationKind;
  user_ids: string[];
  emails: string[];
  item: MailItem;
}

/** Collect the notices that a bulk change has held back in one round: all for a recipient at once. */
export interface HeldNoticesTask {
  what: 'held_notices';
  mail_id: string;
  bulk_change_id: string;
  round: number;
}

/** Send the notices of a mailbox. */
export interface DigestTask {
  what: 'digest';
  batch_id: string;
  recipient: string;
}

/** Ask an address whether it wants mails. */
export interface QuestionTask {
  what: 'question';
  address: string;
  /** The report that the organization wants to send it. */
  report?: Omit<LinkTargets['share'], 'share_link_id'>;
  /** What else it wants to send. Absent for a report, and for notifications. */
  about?: QuestionAbout;
}

/** What the organization wants to send an address beside reports and notifications. */
export type QuestionAbout = { kind: 'client_digest'; client_account_id: string } | { kind: 'replies' };

/** Invite somebody to the organization. */
export interface InvitationTask {
  what: 'invitation';
  user_id: string;
  invitation_id: string;
}

/** Tell an owner or admin of a change of the owner or the admins. Who has left is no member any more. */
export interface AccessTask {
  what: 'access';
  event: AccessEvent;
  to: Pick<StoredMember, 'user_id' | 'name' | 'email' | 'locale' | 'timezone'>;
  /** The name of who is concerned: the admin, the next or new owner, or the key. */
  member: string;
  /** The name of the former owner, where there is one. */
  former?: string;
  /** Until when a handover can be accepted; ISO 8601 in UTC. */
  until?: string;
  /** The name of who has made the change; null for the operator of the service. */
  actor: string | null;
}

/** Send the contact of a corrective action the link to it. */
export interface ContactLinkTask {
  what: 'contact_link';
  inspection_id: string;
  action_id: string;
  link_id: string;
}

/** Send a witness the link by which they sign. */
export interface SignatureLinkTask {
  what: 'signature_link';
  inspection_id: string;
  link_id: string;
}

/** Remind the contact with an address of its tasks. */
export interface ContactReminderTask {
  what: 'contact_reminder';
  reminder_id: string;
  address: string;
}

/** Tell a client account's contact of a period; both times are ISO 8601 in UTC. */
export interface ClientDigestTask {
  what: 'client_digest';
  client_account_id: string;
  from: string;
  /** The end of the period, which does not belong to it. */
  to: string;
}

/** What a mail was promised for, where that shows what became of the mail. */
export type MailSubject = InvitationTask | ContactLinkTask | SignatureLinkTask | ClientDigestTask;

/** Send one mail of a report, or all that wait for it. */
export interface ReportMailTask {
  what: 'report';
  inspection_id: string;
  report_id: string;
  email_id?: string;
}

/** Sync a source, or detach its rows. */
export type SyncTask = SyncTurnTask | DetachTask;

/** Work on a sync, as long as one run of the worker may take. */
export interface SyncTurnTask {
  what: 'sync';
  source_id: string;
  run_id: string;
  /** How often the sync was handed on before. */
  handed_on: number;
}

/** Detach the rows of a deleted source: clients may then change them. */
export interface DetachTask {
  what: 'detach';
  source_id: string;
  target_ref: TargetRef;
}

/** Send events to the endpoints of customers. */
export type WebhookTask = FanOutTask | DeliverTask | CancelTask;

/** Create the deliveries of one transaction's events, for all endpoints that subscribe to them. */
export interface FanOutTask {
  what: 'fan_out';
  /** The numbers of the first and the last event. */
  first: number;
  last: number;
  /** Only the endpoints whose ids are after the one and up to the other. */
  after?: string;
  through?: string;
}

/** Send the due deliveries of an endpoint. */
export interface DeliverTask {
  what: 'deliver';
  webhook_id: string;
  turn: number;
}

/** Cancel the deliveries that were pending when an endpoint was disabled. */
export interface CancelTask {
  what: 'cancel';
  webhook_id: string;
  /** ISO 8601: those that were created up to then. */
  before: string;
}
