import { sha256 } from '../base/encoding.ts';
import type { ListedLocation } from '../schemas/location.ts';
import type { StoredAssetActivity } from './entities/assets.ts';
import type { BulkSelected, HeldNotice, StoredBulkRow } from './entities/bulk-changes.ts';
import type { CertificateExpiry, CertificateSeries } from './entities/certificates.ts';
import type {
  AnswerState,
  BulkSelection,
  ChildReference,
  ContactForm,
  ContactReminder,
  ContentRow,
  Deadline,
  FoundAt,
  LayoutNames,
  ReportCount,
  StoredActivity,
  StoredAnswer,
  StoredAttachment,
  StoredBulkItem,
  StoredCorrection,
  StoredExport,
  StoredFormerAnswer,
  StoredInspectionActivity,
  StoredInstance,
  StoredLayout,
  StoredReportEmail,
  StoredRevision,
  StoredShareLink,
  StoredSignatureLink,
  VersionPlace,
  UnsentLink,
} from './entities/inspections.ts';
import type {
  SeenPage,
  SourceState,
  StoredIntegrationActivity,
  StoredRun,
  SyncedItem,
  SyncedList,
} from './entities/integrations.ts';
import type {
  IssueDeadline,
  IssueLink,
  StoredIssueActivity,
  StoredPublicLink,
  Submission,
} from './entities/issues.ts';
import type { ChildKind, Children, DueRows, Kind, Resources } from './entities/kinds.ts';
import type {
  ChangedAnswers,
  Counters,
  DeadLetter,
  ClientDigestTurn,
  EventSequence,
  ExportedBytes,
  HeldMail,
  IdempotencyPart,
  IdempotencyRow,
  Mailbox,
  MailDelivery,
  Migration,
  OutboxRow,
  PageEnd,
  Sequence,
  SlotRow,
  MonthCount,
  StorageRow,
  StoredEvent,
  StoredNotification,
  UniqueValue,
  Usage,
  WaitingMail,
} from './entities/machinery.ts';
import type { Counted, NumbersState, StoredNumbers } from './entities/numbers.ts';
import type {
  AuditRecord,
  EmailMember,
  EndedQuestion,
  KeyRow,
  LinkRow,
  Membership,
  OpenQuestion,
  OwnSessionRow,
  SessionRow,
  StoredAddress,
  StoredOrganization,
  StoredRequest,
  VisitCount,
} from './entities/organization.ts';
import type {
  CalendarEntry,
  CreatedOccurrence,
  PlacesPart,
  ScheduledStart,
  StoredVisit,
  Unstarted,
  VisitedPlace,
} from './entities/schedules.ts';
import type { PendingDelivery, StoredDelivery, StoredReplay, WebhookState } from './entities/webhooks.ts';
import {
  below,
  type Key,
  type Org,
  type Partition,
  partition,
  type Range,
  row,
  rowOfKind,
  systemRow,
  valuesIn,
} from './key-templates.ts';

export type { Key, Partition, Range } from './key-templates.ts';

/*
 * Every partition and sort key of the table, spelled here and nowhere else. Each row's key is a template, which
 * `key-templates.ts` explains; the partition keys of an organization begin with `ORG#` and its id. `entities/` says
 * what each row holds. Every id is a UUIDv7, so ascending sort keys are in the order of creation.
 *
 * User text stands in a key only behind a fixed prefix, and only hashed where it is compared for equality: one engine
 * ignores case when it compares prefixes.
 *
 * Reads that a template alone does not tell:
 *
 * | who wants                                       | reads                                                     |
 * |-------------------------------------------------|-----------------------------------------------------------|
 * | a request's key, rate and identity              | UpdateItem of `apiKey`                                    |
 * | the person of a session, and their member       | BatchGetItem of `session`; GetItem of the member          |
 * | whether an address may be mailed                | BatchGetItem of `address` and `unique`                    |
 * | the last requests of a key                      | Query of `loggedRequest`                                  |
 * | a resource's complete list                      | Query of its partition, strongly consistent               |
 * | the resource that has an external_ref           | GetItem of `unique`, then of its row                      |
 * | a finding, action or report by its own id       | GetItem of `reference`, then of its row                   |
 * | an inspection with all that belongs to it       | Query of `below`                                          |
 * | the open tasks of a contact's address           | Query of `contactTask` for it; BatchGetItem               |
 * | what a finding repeats                          | Query of `foundAt` for its family, from a time on         |
 * | inspections or issues by status, client, …      | Query of by_status, by_client, …; BatchGetItem            |
 * | findings or actions by status, client, …        | Query of by_status, by_client, …; BatchGetItem            |
 * | … by their question, asset, tag or pair         | Query of `findingWith` or `actionWith`; BatchGetItem      |
 * | … of all inspections                            | Query of `reference`; BatchGetItem                        |
 * | … that are assigned to a member                 | Query of `assignment` or `issueAssignment`; BatchGetItem  |
 * | … that are overdue                              | Query of `due` or `issueDue` up to now                    |
 * | a family's versions                             | Query of `familyVersion`; BatchGetItem of their rows      |
 * | assets by status, location or kind                | Query of by_status, by_location, by_family; BatchGetItem  |
 * | … whose words begin with a text                 | Query of `assetByWord`; BatchGetItem                      |
 * | the same of client accounts, issues, schedules  | Query of `clientByWord`, …; BatchGetItem                  |
 * | what an inspection certifies when it has passed | Query of `certifies`; BatchGetItem                        |
 * | certificates by their end                       | Query of `certificateExpiry`; BatchGetItem                |
 * | locations in order, page by page                | Query of `locationByName` from a remembered `pageEnd`     |
 * | … that have a tag, a text or a region           | Query of `locationWith`; BatchGetItem if they are few     |
 * | the number of inspections by status             | Query of the sixteen shards of `counter`                  |
 * | schedules for which something is missing        | Query of `incompleteSchedule`; BatchGetItem               |
 * | the schedules that name a location              | Query of `scheduleByLocation` for a shard; BatchGetItem   |
 * | … that name an asset                            | Query of `scheduleByAsset` for a shard; BatchGetItem      |
 * | the calendar of a period                        | Query of `calendarEntry` between two times                |
 * | … of one schedule                               | Query of `scheduledStart`; BatchGetItem of the entries    |
 * | … those of it that nobody has started           | Query of `unstarted`; BatchGetItem                        |
 * | the last visits of a schedule at a place        | Query of `visit`                                          |
 * | numbers of a period                             | Query of `numbers` or `answerNumbers` between two months  |
 * | … of few places or client accounts              | Query of by_location or by_client; BatchGetItem           |
 * | a member's notifications, newest first          | Query of both partitions                                  |
 * | a source with what its syncs left               | BatchGetItem of its row and `sourceState`                 |
 * | what changed in the answers to a family         | Query of `changedAnswers`; Query of each one's answers    |
 * | webhooks with their states                      | Query of the webhooks and of `webhookState`               |
 * | what is to be sent to a webhook next            | Query of `pendingDelivery` up to now                      |
 * | whether there is room for more of a kind        | Query of `slot`, with `maxSlots`                          |
 * | what is due for a worker, of all organizations  | Query of by_due                                           |
 */

/** A key as one text, to look up what belongs to it. */
export const nameOfKey = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** Number of rows that share the load of one counter. Two changes meet on one with a chance of 1 in 16. */
export const SHARDS = 16;

/** The shard of a counter that belongs to this id, always the same one. */
export const shardOf = (id: string): number => Number.parseInt(sha256(id).slice(0, 4), 16) % SHARDS;

/** All shards. */
export const shards = (): number[] => [...Array(SHARDS).keys()];

const KINDS =
  'KEY|MEMBER|PREFERENCES|CLIENT|REGION|LOCATION|TRANSFER|ASSET_KIND|ASSET|CERTIFICATE_KIND|CERTIFICATE|DOCUMENT|UPLOAD|FAMILY|TEMPLATE|INSPECTION|SCHEDULE|HOLIDAYS|BULK_EXPORT|BULK_CHANGE|CONNECTION|SOURCE|CANDIDATE|ISSUE_CATEGORY|ISSUE|WEBHOOK';
const CHILDREN = 'FINDING|ACTION|REPORT';
const SLOTS = 'RENDER|EXPORT|BULK_EXPORT|BULK_CHANGE|MAIL|SYNC|WEBHOOK|IMPORT';

const chart = {
  /** A resource of a kind. */
  one: rowOfKind<Resources>()(`{kind:${KINDS}}`, '{id}'),
  /** A child of an inspection. */
  child: rowOfKind<Children>()('INSPECTION#{inspection_id}', `{kind:${CHILDREN}}#{id}`),
  /** Leads from a child's own id to its inspection. */
  reference: row<ChildReference>()(`{kind:${CHILDREN}}`, '{id}'),

  /* Organizations and people */

  organization: row<StoredOrganization>()('', 'ORGANIZATION'),
  apiKey: systemRow<KeyRow>()('KEY#{hash}', 'KEY'),
  /** How many requests all keys of an organization that has a quota have made in a period. */
  keyRequests: systemRow<VisitCount>()('KEY#{org_id}', 'REQUESTS#{period}'),
  /** How many requests from networks that a key does not allow were refused in a period. */
  keyRefusals: systemRow<VisitCount>()('KEY#{key_id}', 'REFUSALS#{period}'),
  session: systemRow<SessionRow>()('SESSION#{hash}', 'SESSION'),
  /** A session of a person. The person: see `personOf`. */
  ownSession: systemRow<OwnSessionRow>()('SESSION#{person}', 'OWN#{id}'),
  /** What a person is in an organization. The person: see `personOf`. */
  membership: systemRow<Membership>()('PERSON#{person}', '{org_id}'),
  /** The member of an organization who has an email address, by the hash of the address in lower case. */
  emailMember: systemRow<EmailMember>()('EMAIL#{hash}', '{org_id}'),
  /** What is known of an email address, which is case-folded. */
  address: row<StoredAddress>()('ADDRESS', '{address:sha256}'),
  /** A question to an address that is open. */
  openQuestion: row<OpenQuestion>()('QUESTION', '{id}'),
  endedQuestion: row<EndedQuestion>()('ENDED_QUESTION', '{id}'),
  audit: row<AuditRecord>()('AUDIT', '{id}'),

  /* Public links */

  link: systemRow<LinkRow>()('LINK#{hash}', 'LINK'),
  /** How often something was asked for in a period, through a link or from an address. */
  visits: systemRow<VisitCount>()('VISITS#{operation,per,value,period:sha256}', 'VISITS'),

  /* Places */

  /** A client account by a tag or a text of its metadata. */
  clientWith: row()('CLIENT_WITH', '{label:sha256}#{client_account_id}'),
  /** A client account by a word of its name or external_ref, as `assetByWord`. */
  clientByWord: row()('CLIENT_WORD', '{word}\u0001{client_account_id}'),

  /**
   * Copies of a location in the order of their names, which are folded and cut; equal names by id. The separator sorts
   * before every character that a name may contain.
   */
  locationByName: row<ListedLocation>()('LOCATION_NAME', '{name}\u0001{id}'),
  /** A location by a tag, a text of its metadata, or its region. */
  locationWith: row()('LOCATION_WITH', '{label:sha256}#{location_id}'),
  clientLocationByName: row<ListedLocation>()('CLIENT#{client_id}#LOCATION_NAME', '{name}\u0001{id}'),

  /* Assets */

  assetActivity: below<StoredAssetActivity>()('ASSET', 'ASSET_ACTIVITY#{id}'),
  /** An asset by a tag, a text of its metadata, or the asset that contains it. */
  assetWith: row()('ASSET_WITH', '{label:sha256}#{asset_id}'),
  /** An asset by a word of its name, of its serial number or external_ref, or by its number, each folded and cut. */
  assetByWord: row()('ASSET_WORD', '{word}\u0001{asset_id}'),

  /* Certificates */

  /** A certificate kind among those that a template family issues. */
  certifies: below()('FAMILY', 'CERTIFIES#{certificate_kind_id}'),
  certificateSeries: below<CertificateSeries>()('CERTIFICATE_KIND', 'SERIES'),
  /** A certificate among those that an inspection has issued. */
  certified: below()('INSPECTION', 'CERTIFICATE#{certificate_id}'),
  /** A certificate by its asset. */
  certificateWith: row()('CERTIFICATE_WITH', '{label:sha256}#{certificate_id}'),
  /** Certificates in the order of their ends. */
  certificateExpiry: row<CertificateExpiry>()('CERTIFICATE_EXPIRY', '{expires_at}#{certificate_id}'),

  /* Templates */

  familyVersion: below<VersionPlace>()('FAMILY', 'VERSION#{template_id}'),
  layout: below<StoredLayout>()('FAMILY', 'LAYOUT#{id}'),
  /** The names of a family's layouts. */
  layoutNames: below<LayoutNames>()('FAMILY', 'LAYOUTS'),
  /** An inspection that is neither completed nor archived, listed by the template version that it uses. */
  running: below()('FAMILY', 'RUNNING#{template_id}#{inspection_id}'),
  content: below<ContentRow>()('TEMPLATE', 'CONTENT'),

  /* Inspections */

  answer: below<StoredAnswer>()('INSPECTION', 'ANSWER#{field_id}#{instance_path?}'),
  /** An answer that another one has replaced. */
  formerAnswer: below<StoredFormerAnswer>()('INSPECTION', 'FORMER#{field_id}#{id}'),
  /** An inspection's answers in brief, for its conditions and formulas. */
  answerState: below<AnswerState>()('INSPECTION', 'ANSWERED'),
  /** By the client's own id for it. */
  instance: below<StoredInstance>()('INSPECTION', 'INSTANCE#{client_id:sha256}'),
  correction: below<StoredCorrection>()('INSPECTION', 'CORRECTION#{id}'),
  /** A correction's change, by its position in the correction. */
  revision: below<StoredRevision>()('INSPECTION', 'REVISION#{correction_id}#{sequence:10}'),
  inspectionActivity: below<StoredInspectionActivity>()('INSPECTION', 'INSPECTION_ACTIVITY#{id}'),
  signatureLink: below<StoredSignatureLink>()('INSPECTION', 'SIGNATURE_LINK#{id}'),
  /** The number of reports that an inspection has had. */
  reportCount: below<ReportCount>()('INSPECTION', 'REPORTS'),
  /** An issue that was reported in an inspection. */
  raisedIssue: below()('INSPECTION', 'RAISED#{issue_id}'),
  /** An inspection among the re-inspections of another one. */
  reinspection: row()('REINSPECTION', '{reinspection_of_id}#{inspection_id}'),
  /** A finding among those of its template family at the location of its inspection. */
  foundAt: row<FoundAt>()('FOUND#{location_id}', '{template_family_id}#{finding_id}'),
  /** A finding by its question, its asset, a tag or a text of its metadata. */
  findingWith: row<ChildReference>()('FINDING_WITH', '{label:sha256}#{finding_id}'),
  assignment: row()('ASSIGNEE#{user_id}', '{inspection_id}'),
  /** An inspection by a tag, a text of its metadata, or its asset. */
  inspectionWith: row()('INSPECTION_WITH', '{label:sha256}#{inspection_id}'),
  due: row<Deadline>()('DUE', '{due_at}#{inspection_id}'),

  /* Corrective actions */

  activity: below<StoredActivity>()('ACTION', 'ACTIVITY#{id}'),
  attachment: below<StoredAttachment>()('ACTION', 'ATTACHMENT#{id}'),
  /** A form that the action's contact has sent. */
  contactForm: below<ContactForm>()('ACTION', 'FORM#{nonce:sha256}'),
  /** An action on which the contact with an address has to work. */
  contactTask: row<ChildReference>()('CONTACT_TASK', '{address:sha256}#{action_id}'),
  contactReminder: row<ContactReminder>()('CONTACT_REMINDER', '{address:sha256}'),
  /** A link that the contact with an address is about to be mailed. */
  unsentLink: row<UnsentLink>()('UNSENT_LINK#{address:sha256}', '{link_id}'),
  actionAssignment: row<ChildReference>()('ACTION_ASSIGNEE#{user_id}', '{action_id}'),
  actionDue: row<Deadline>()('ACTION_DUE', '{due_at}#{action_id}'),
  /** An action by its question, its asset, the address of its contact, a tag or a text of its metadata. */
  actionWith: row<ChildReference>()('ACTION_WITH', '{label:sha256}#{action_id}'),

  /* Reports */

  export: below<StoredExport>()('REPORT', 'EXPORT#{id}'),
  reportEmail: below<StoredReportEmail>()('REPORT', 'EMAIL#{id}'),
  shareLink: below<StoredShareLink>()('REPORT', 'SHARE#{id}'),
  bulkSelection: below<BulkSelection>()('BULK_EXPORT', 'SELECTION'),
  /** By its position, from 0. */
  bulkItem: below<StoredBulkItem>()('BULK_EXPORT', 'ITEM#{position:6}'),
  /** The bytes of the export files that were made on a day. */
  exportedBytes: row<ExportedBytes>()('EXPORTED', '{day}'),

  /* Changes in bulk */

  bulkSelected: below<BulkSelected>()('BULK_CHANGE', 'SELECTED'),
  /** By its position, from 0. */
  bulkRow: below<StoredBulkRow>()('BULK_CHANGE', 'CHANGED#{position:6}'),
  /** A notice that waits for the end of its round. */
  heldNotice: below<HeldNotice>()('BULK_CHANGE', 'NOTICE#{round:4}#{mail_id}'),

  /* Issues */

  publicLink: below<StoredPublicLink>()('ISSUE_CATEGORY', 'PUBLIC_LINK#{id}'),
  issueActivity: below<StoredIssueActivity>()('ISSUE', 'ISSUE_ACTIVITY#{id}'),
  /** An inspection that was started from an issue, or a corrective action that was created from it. */
  inspectionLink: below<IssueLink>()('ISSUE', 'LINKED#{inspection_id}#'),
  actionLink: below<IssueLink>()('ISSUE', 'LINKED#{inspection_id}#{action_id}'),
  issueAssignment: row()('ISSUE_ASSIGNEE#{user_id}', '{issue_id}'),
  /** An issue by a tag, a text of its metadata, or its asset. */
  issueWith: row()('ISSUE_WITH', '{label:sha256}#{issue_id}'),
  /** An issue by a word of its title or external_ref, or by its number, as `assetByWord`. */
  issueByWord: row()('ISSUE_WORD', '{word}\u0001{issue_id}'),
  issueDue: row<IssueDeadline>()('ISSUE_DUE', '{due_at}#{issue_id}'),
  /** A form that was sent. Its nonce is one that a browser makes up or gets with the form. */
  submission: row<Submission>()('SUBMISSION', '{public_link_id,nonce:sha256}'),

  /* Schedules */

  /** A schedule for which something is missing. */
  incompleteSchedule: row()('INCOMPLETE_SCHEDULE', '{schedule_id}'),
  /** A schedule by a word of its title or external_ref, as `assetByWord`. */
  scheduleByWord: row()('SCHEDULE_WORD', '{word}\u0001{schedule_id}'),
  /**
   * A schedule by the shards of its locations' ids, so that few are read to find those that name a location. A row for
   * each of its locations would be more than a transaction can write.
   */
  scheduleByLocation: row()('SCHEDULE_BY_LOCATION', '{shard:2}#{schedule_id}'),
  /** The same by the shards of its assets' ids. */
  scheduleByAsset: row()('SCHEDULE_BY_ASSET', '{shard:2}#{schedule_id}'),
  /** Up to a thousand places of a schedule, by their position among all of them. */
  schedulePlaces: below<PlacesPart>()('SCHEDULE', 'PLACES#{part:2}'),
  /** What a schedule has created for the occurrence of a date at one of its locations, of one of its assets, or without one. */
  occurrence: below<CreatedOccurrence>()('SCHEDULE', 'OCCURRENCE#{date}#{place_id??NONE}'),
  /** An inspection among those of its schedule, in the order of their starts. */
  scheduledStart: below<ScheduledStart>()('SCHEDULE', 'STARTS#{starts_at}#{inspection_id}'),
  /** A place of a schedule that counts from the last visit: a location, or an asset. */
  visitedPlace: below<VisitedPlace>()('SCHEDULE', 'VISITED#{place_id}'),
  /** A visit of such a schedule at a place, by its end. Those that have not ended are `OPEN`, and sort last. */
  visit: below<StoredVisit>()('SCHEDULE', 'VISIT#{place_id}#{ended_at}#{inspection_id}'),
  /** An inspection of a schedule that nobody has started, in the order of their creation. */
  unstarted: below<Unstarted>()('SCHEDULE', 'UNSTARTED#{inspection_id}'),
  /** An inspection among those of all schedules, in the order of their starts. */
  calendarEntry: row<CalendarEntry>()('CALENDAR', '{starts_at}#{inspection_id}'),

  /* Numbers */

  /** The numbers of inspections, findings or actions, month by month. */
  numbers: row<StoredNumbers>()(
    'NUMBERS#{what:INSPECTION|FINDING|ACTION}',
    '{month}#{location_id??NONE}#{client_account_id??NONE}#{template_family_id}',
  ),
  /** Those of the answers to a template family's fields. */
  answerNumbers: row<StoredNumbers>()(
    'ANSWER_NUMBERS#{template_family_id}',
    '{month}#{location_id??NONE}#{client_account_id??NONE}',
  ),
  /** What an inspection, its answers, a finding or an action has added to the numbers. It outlives them. */
  counted: row<Counted>()('COUNTED#{inspection_id}', 'OF#{what:INSPECTION|ANSWERS|FINDING|ACTION}#{id}'),
  numbersState: row<NumbersState>()('NUMBERS', 'WHOLE'),

  /* Notifications and mails */

  /** Two partitions, so that the unread ones can be counted. */
  unreadNotification: row<StoredNotification>()('UNREAD#{user_id}', '{id}'),
  readNotification: row<StoredNotification>()('NOTIFICATION#{user_id}', '{id}'),
  /** A mail to one recipient, or what it is to say. */
  mail: row<MailDelivery>()('MAIL#{mail_id}', '{recipient}'),
  /** What waits to be mailed to a recipient: a member, or the hash of an address. */
  mailbox: row<Mailbox>()('MAILBOX', '{recipient}'),
  clientDigestTurn: row<ClientDigestTurn>()('CLIENT_DIGEST', '{client_account_id}'),
  waitingMail: row<WaitingMail>()('WAITING_MAIL', '{mail_id}#{recipient}'),
  heldMail: row<HeldMail>()('HELD_MAIL#{mailbox:sha256}', '{mail_id}#{recipient}'),
  /** The number of mails that were sent on a day, or have their place on it. */
  mailCount: row<Sequence>()('MAIL_COUNT', '{day}#{recipients:MEMBERS|OTHERS|REPORTS}'),
  /** What became of the mails of a day to people who are no members. */
  mailFate: row<Sequence>()('MAIL_FATE', '{day}#{fate:SENT|BOUNCED|COMPLAINED}'),

  /* Counters and unique values */

  counter: rowOfKind<Counters>()('COUNTER#{kind:INSPECTION|LOCATION}', '{shard:2}'),
  /** Who uses a resource. */
  usage: row<Usage>()(`USAGE#{kind:${KINDS}}`, '{id}#{shard:2}'),
  storedBytes: row<StorageRow>()('STORAGE', '{shard:2}'),
  /** An organization's own maximum. It sorts behind the shards. */
  maxStoredBytes: row<StorageRow>()('STORAGE', 'MAX'),
  monthCount: row<MonthCount>()('MONTH_COUNT', '{month}#{shard:2}'),
  /** One of the numbered slots that what an organization has waiting or running takes, by its kind. */
  slot: row<SlotRow>()(`SLOT#{kind:${SLOTS}}`, '{slot:4}'),
  /** An organization's own number of slots. It sorts behind them. */
  maxSlots: row<SlotRow>()(`SLOT#{kind:${SLOTS}}`, 'NUMBER'),
  sequence: row<Sequence>()('SEQUENCE', '{kind:INSPECTION|FINDING|CORRECTIVE_ACTION|ISSUE|ASSET}'),
  eventSequence: row<EventSequence>()('SEQUENCE', 'EVENT'),
  /** The resource that has a unique value. */
  unique: row<UniqueValue>()('UNIQUE#{what,value:sha256}', 'UNIQUE'),

  /** A migration that has not ended, of one organization or of all. */
  migration: systemRow<Migration>()('MIGRATION', '{org_id}'),

  /* Requests */

  /** A request's claim on its idempotency key, by the hash of the API key, the operation and the idempotency key. */
  claim: row<IdempotencyRow>()('IDEMPOTENCY#{hash}', 'CLAIM'),
  /** Continues a large reply. */
  replyPart: row<IdempotencyPart>()('IDEMPOTENCY#{hash}', 'PART#{part:1}'),
  /** One of the last requests of a key that succeeded, or of those that failed, in a slot that is used again. */
  loggedRequest: row<StoredRequest>()('REQUEST#{key_id}', '{outcome:OK|ERROR}#{slot:4}'),
  /** Where a page of a list ends. */
  pageEnd: row<PageEnd>()('PAGE#{filters:sha256}', '{offset:16}'),

  /* Events */

  outbox: row<OutboxRow>()('OUTBOX', '{id}'),
  event: row<StoredEvent>()('EVENT', '{sequence:16}'),
  /** Changes of the answers to a template family, by the numbers of their events. */
  changedAnswers: row<ChangedAnswers>()('CHANGED_ANSWERS#{template_family_id}', '{sequence:16}'),
  /** By the id of the event or task, or of what was due. */
  deadLetter: row<DeadLetter>()('DEAD_LETTER', '{id}'),

  /* Integrations */

  /** What syncs have left behind of a source. */
  sourceState: below<SourceState>()('SOURCE', 'STATE'),
  syncRun: below<StoredRun>()('SOURCE', 'RUN#{id}'),
  /** A page that a run has read, by the attempt to read all of them, and its position. */
  seenPage: below<SeenPage>()('SOURCE', 'SEEN#{run_id}#{reading:1}#{page:6}'),
  syncedItem: below<SyncedItem>()('SOURCE', 'ROW#{external_id:sha256}'),
  /** The rows of a source of options, as a list. */
  syncedList: below<SyncedList>()('SOURCE', 'LIST'),
  /** What happened to the connections and sources of a vendor. */
  integrationActivity: row<StoredIntegrationActivity>()('INTEGRATION#{vendor}', '{id}'),

  /* Webhooks */

  /** What deliveries have left behind of a webhook. */
  webhookState: row<WebhookState>()('WEBHOOK_STATE', '{webhook_id}'),
  delivery: below<StoredDelivery>()('WEBHOOK', 'DELIVERY#{id}'),
  pendingDelivery: below<PendingDelivery>()('WEBHOOK', 'PENDING#{queued_at}#{id}'),
  webhookReplay: below<StoredReplay>()('WEBHOOK', 'REPLAY#{id}'),
};

type Chart = typeof chart;

/** The fixed word with which a sort key begins. */
type PartOf<Sk extends string> = Sk extends `{${string}`
  ? never
  : Sk extends `${infer Part}#${string}`
    ? Part
    : Sk;

/** The types of the rows below such resources or children, by the fixed words of their sort keys. */
type PartsBelow<Parent extends string> = {
  [
    Entry in keyof Chart as Chart[Entry]['template'] extends {
      pk: `ORG#{org_id:caller}#${Parent}#{${string}}`;
      sk: infer Sk extends string;
    }
      ? PartOf<Sk>
      : never
  ]: Chart[Entry] extends (...values: never) => Key<infer Row> ? Row : never;
};

type Parts = { [Parent in Kind | ChildKind]: PartsBelow<Parent> } & { INSPECTION: Children };

/** What stands below any resource or child. No two of them share a word. */
export type AnyPart = PartsBelow<Kind | ChildKind> & Children;

export const keys = {
  ...chart,
  /** All resources of a kind. */
  all: chart.one.partition,
  /** Everything that belongs to one resource or child: rows of different types. */
  below: partition(`{kind:${KINDS}|${CHILDREN}}#{id}`),
  /** Those rows of one type that belong to a resource or child. */
  parts: <Parent extends keyof Parts, Part extends keyof Parts[Parent] & string>(
    org: Org,
    parent: Parent,
    id: string,
    part: Part,
  ): Range<Parts[Parent][Part] & object> => ({ partition: keys.below(org, parent, id), prefix: `${part}#` }),
  /** The partition of an index (by_status, by_client, …) that holds the inspections with this value. */
  inspectionsWith: partition('INSPECTION#{by:STATUS|CLIENT|LOCATION|FAMILY}#{value}'),
  /** The same for findings and actions. Their sort keys begin with the kind. */
  childrenWith: partition('{kind:FINDING|ACTION}_OF#{by:STATUS|CLIENT|LOCATION|FAMILY}#{value}'),
  /** The same for issues. */
  issuesWith: partition('ISSUE#{by:STATUS|CLIENT|LOCATION|CATEGORY}#{value}'),
  /** The same for assets. */
  assetsWith: partition('ASSET#{by:STATUS|LOCATION|KIND}#{value}'),
  /** The same for numbers. */
  numbersWith: partition('NUMBERS#{by:CLIENT|LOCATION}#{what:INSPECTION|ANSWERS|FINDING|ACTION}#{value}'),
  /** The same for certificates. */
  certificatesWith: partition('CERTIFICATE#{by:STATUS|CLIENT|LOCATION|KIND}#{value}'),
  /** Copies of all locations, or of a client account's, in the order of their names. */
  locationsByName: (org: Org, clientId?: string | null): Partition<ListedLocation> =>
    clientId ? chart.clientLocationByName.partition(org, clientId) : chart.locationByName.partition(org),
  /** The pending deliveries to a webhook whose time has come by then (ISO 8601 in UTC). */
  pendingDeliveries: (org: Org, webhookId: string, by: string) => {
    const { partition, prefix } = chart.pendingDelivery.range(org, webhookId);
    return { partition, after: prefix, upTo: `${prefix}${by}#~` };
  },
};

/** A partition of the sparse index by which workers find due rows. There are a few, to spread the load. */
export const duePartition = <K extends keyof DueRows>(what: K, shard: number): Partition<DueRows[K]> =>
  `DUE#${what}#${String(shard).padStart(2, '0')}`;

/** Whether a partition belongs to the caller's organization: the organization's own row, or one below it. */
export const isOwnPartition = (org: Org, pk: string): boolean => {
  const own = chart.organization.partition(org);
  return pk === own || pk.startsWith(`${own}#`);
};

/** The id of the organization to which a row belongs, from its key. */
export const organizationOf = ({ pk }: Key): string => pk.split('#', 2)[1]!;

/** A kind of row: that of a resource or child, otherwise the name of its key in the chart. */
export type RowKind = Exclude<keyof Chart, 'one' | 'child'> | Kind | ChildKind;

const isAt = (name: keyof Chart, key: Key): boolean =>
  valuesIn<string, string>(chart[name], key) !== undefined;

/** The kind of a resource or child, which its key names. */
const kindIn = (key: Key): Kind | ChildKind | undefined =>
  valuesIn(chart.one, key)?.kind ?? valuesIn(chart.child, key)?.kind;

/** The kind of the row at a key; undefined for a key that no template makes. */
export const kindOf = (key: Key): RowKind | undefined => {
  const own = kindIn(key);
  if (own) return own;
  const names = Object.keys(chart) as (keyof Chart)[];
  return names.find((name): name is Exclude<keyof Chart, 'one' | 'child'> => isAt(name, key));
};

/** Whether the row at a key is of a kind. */
export const isRowOf = (kind: RowKind, key: Key): boolean =>
  kind in chart ? isAt(kind as keyof Chart, key) : kindIn(key) === kind;

/** The values in the key of a row by the names of their placeholders, hashed ones as their hash; none for a key that no template makes. */
export const valuesOf = (key: Key): Readonly<Record<string, unknown>> => {
  const { one, child, ...others } = chart;
  const templates: readonly { template: { pk: string; sk: string } }[] = [
    one,
    child,
    ...Object.values(others),
  ];
  for (const each of templates) {
    const values = valuesIn<string, string>(each, key);
    if (values) return values;
  }
  return {};
};

/** Attributes that only the table uses. They are never part of a resource on the wire. */
export const INTERNAL_ATTRIBUTES = [
  'pk',
  'sk',
  'ttl',
  'form',
  'by_status',
  'by_client',
  'by_location',
  'by_family',
  'by_due',
  'by_due_at',
] as const;
