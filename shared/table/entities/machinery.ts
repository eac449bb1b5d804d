import type { QueueName } from '../../base/queues.ts';
import type { MailNote } from '../../domain/mail/progress.ts';
import type { About, MailItem } from '../../domain/notifications/mail.ts';
import type { EventType } from '../../schemas/event-data.ts';
import type { Event } from '../../schemas/event.ts';
import type { InspectionStatus } from '../../schemas/inspections/inspection.ts';
import type { Notification } from '../../schemas/notification.ts';
import type { Weekday } from '../../schemas/organization.ts';
import type { MonthCounter } from '../months.ts';
import type { MailSubject, Tasks } from '../tasks.ts';

/* Notifications and mails */

/** Unread and read notifications are in different partitions, so that the unread ones can be counted. */
export type StoredNotification = Omit<Notification, 'is_read'> & {
  /** In English: what a release shows that does not know the event. */
  title: string;
  /** The records that the title names, from which it is said in the reader's language. */
  about: About;
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
   * for good. `over_limit`: the mail waits, whatever for.
   */
  state: 'collected' | 'sending' | 'sent' | 'refused' | 'over_limit';
  /**
   * When the worker looks at a mail again that waits, ISO 8601 in UTC. One that has waited for its day may be sent from
   * then on. Absent from mails that do not wait.
   */
  send_after?: string;
  /** Why it waits. Absent where that is the limit of a day. */
  reason?: MailNote['reason'];
  /** Until when it waits for its address to confirm, ISO 8601 in UTC. Absent where it has not waited for that. */
  held_until?: string;
  /** The addresses to which it goes or went, where these are several. */
  addresses?: readonly string[];
  /** What the mail says, taken from the mailbox. */
  batch?: MailBatch;
  /** The promises that the mail keeps, on which its outcome is noted. */
  about?: MailSubject[];
  /** Why the mail service refused it. */
  detail?: string;
  /** A worker has died while it had the mail: nobody knows whether it went out. */
  is_in_doubt?: boolean;
  /** Epoch milliseconds. */
  leased_until: number;
  version: number;
  /** Epoch seconds. */
  ttl: number;
}

/** A mail that waits. */
export interface WaitingMail {
  org_id: string;
  mail_id: string;
  recipient: string;
  /** When the worker looks at it again, ISO 8601 in UTC. */
  send_after: string;
  /** Why it waits. Absent where that is the limit of a day. */
  reason?: MailNote['reason'];
  /** The mailbox that has to confirm first. */
  mailbox?: string;
  /** The task that sends it. */
  task: OutboxTask<'mail'>;
}

/** Leads from a mailbox that has not confirmed to a mail that waits for it. */
export type HeldMail = Pick<WaitingMail, 'mail_id' | 'recipient' | 'send_after'> & {
  /** Epoch seconds. */
  ttl: number;
};

/** When the weekly mail of a client account is due. */
export interface ClientDigestTurn {
  org_id: string;
  client_account_id: string;
  /** The day of the week for which it is planned. Absent before the worker has planned it. */
  weekday?: Weekday;
  /** Until when the last mail has told, ISO 8601 in UTC. Absent before the first one. */
  told_until?: string;
  by_due?: string;
  by_due_at?: string;
}

/* Counters, unique values and requests */

/** Who uses a resource, and how often. */
export type Used = {
  inspections?: number;
  locations?: number;
  regions?: number;
  assets?: number;
  issues?: number;
  schedules?: number;
  /** Certificates of a kind, and the certificate kinds of a template family. */
  certificates?: number;
  /** Inspections that were ever completed, approved or signed. */
  kept?: number;
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
  /** By how much the bytes have changed in a month. */
  [counter: MonthCounter<'change'>]: number | undefined;
}

/** What was counted in a month. */
export interface MonthCount {
  /** Reports that were rendered. */
  reports?: number;
  /** Recipients of mails. */
  mails?: number;
}

/** A slot that is taken, or how many there are of its kind. */
export interface SlotRow {
  /** The key of the row that has the slot until it ends; absent where something has it for a short time. */
  holder?: { pk: string; sk: string };
  max_slots?: number;
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
  /** When it was given, ISO 8601. It never goes back, whatever the clocks do. Absent before the first. */
  recorded_at?: string;
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

/** How far a migration of rows to the forms of a release has come. */
export interface Migration {
  /** These forms. A run of another release begins anew. */
  forms: string;
  /**
   * The row behind which the next page begins; absent before the first page. In a migration of one organization also the
   * template of its partition.
   */
  next?: { pk: string; sk: string; template?: string } | undefined;
  /** Number of rows that were read, by their kind and form, such as `LOCATION 1`; `unknown` for keys of no kind. */
  read: Record<string, number>;
  /** Number of those that had an older form. */
  outdated: number;
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
  about?: EventSubject;
  /** Epoch seconds. */
  ttl: number;
};

/**
 * Which template family, client account and location an event is about. It stands beside the data of events that do not
 * tell it themselves, such as those of a finding, whose inspection has them.
 */
export interface EventSubject {
  template_family_id: string;
  client_account_id: string | null;
  location_id: string | null;
}

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
  /** The inspection whose answers it may have changed, or what is said of it with them. */
  answers_of?: AnswersOf;
  about?: EventSubject;
}

/** A record of an answer, or the result of a formula, that an inspection no longer has. */
export interface GoneAnswer {
  id: string;
  section_id: string;
  field_id: string;
  instance_path: string;
}

/** An inspection whose answers are to be read again. */
export interface AnswersOf {
  inspection_id: string;
  template_family_id: string;
  gone?: GoneAnswer[];
}

/** That the answers of an inspection have changed, under the number of the event that says so. It is kept as long as the event. */
export interface ChangedAnswers extends Omit<AnswersOf, 'template_family_id'> {
  sequence: number;
  /** As that of the event. */
  recorded_at: string;
  /** Epoch seconds. */
  ttl: number;
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
