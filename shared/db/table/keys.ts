import { createHash } from 'node:crypto';
import type { Caller } from '../../base/caller.ts';
import type { Location } from '../../schemas/location.ts';
import type {
  AnswerState,
  AuditRecord,
  BulkSelection,
  ChildKind,
  ChildReference,
  Children,
  ContactForm,
  ContentRow,
  Counters,
  DeadLetter,
  Deadline,
  DueRows,
  ExportedBytes,
  IdempotencyPart,
  IdempotencyRow,
  IssueDeadline,
  IssueLink,
  EmailMember,
  EventSequence,
  KeyRow,
  Kind,
  LayoutNames,
  LinkPurpose,
  LinkRow,
  Mailbox,
  MailDelivery,
  OutboxRow,
  Membership,
  PageEnd,
  PendingDelivery,
  Parts,
  ReportCount,
  CalendarEntry,
  CreatedOccurrence,
  Resources,
  ScheduledStart,
  SeenPage,
  Sequence,
  SessionRow,
  SourceState,
  StorageRow,
  StoredActivity,
  StoredAddress,
  StoredAnswer,
  StoredAttachment,
  StoredBulkItem,
  StoredCorrection,
  StoredDelivery,
  StoredInspectionActivity,
  StoredInstance,
  StoredEvent,
  StoredExport,
  StoredIntegrationActivity,
  StoredIssueActivity,
  StoredLayout,
  StoredNotification,
  StoredOrganization,
  StoredPublicLink,
  StoredReplay,
  StoredReportEmail,
  StoredRevision,
  StoredRun,
  StoredShareLink,
  SyncedItem,
  SyncedList,
  Submission,
  UniqueValue,
  Usage,
  VersionPlace,
  VisitCount,
  WebhookState,
} from './entities.ts';

/**
 * Every partition and sort key of the table, spelled here and nowhere else. `entities.ts` says what each row holds.
 *
 * Entities (o = organization id, other letters = ids; every id is a UUIDv7, so ascending sort keys are in creation
 * order):
 *
 * | entity              | pk                        | sk                          |
 * |---------------------|---------------------------|-----------------------------|
 * | key, by its hash    | KEY#sha256                | KEY                         |
 * | public link, by hash| LINK#sha256               | LINK                        |
 * | visits of a link or from an address | VISITS#sha256 | VISITS                  |
 * | session, by its hash| SESSION#sha256            | SESSION                     |
 * | person's membership | PERSON#sha256             | o                           |
 * | member of an address| EMAIL#sha256              | o                           |
 * | organization        | ORG#o                     | ORGANIZATION                |
 * | address outside     | ORG#o#ADDRESS             | sha256 of the address       |
 * | key, as listed      | ORG#o#KEY                 | k                           |
 * | member              | ORG#o#MEMBER              | u                           |
 * | member's preferences| ORG#o#PREFERENCES         | u                           |
 * | client account      | ORG#o#CLIENT              | c                           |
 * | location            | ORG#o#LOCATION            | l                           |
 * | location, by name   | ORG#o#LOCATION_NAME       | folded name, 0x01, l        |
 * | … of one client     | ORG#o#CLIENT#c#LOCATION_NAME | folded name, 0x01, l     |
 * | end of a page       | ORG#o#PAGE#hash           | offset                      |
 * | document            | ORG#o#DOCUMENT            | d                           |
 * | pending upload      | ORG#o#UPLOAD              | d                           |
 * | template family     | ORG#o#FAMILY              | f                           |
 * | family's versions   | ORG#o#FAMILY#f            | VERSION#t                   |
 * | family's layouts    | ORG#o#FAMILY#f            | LAYOUT#l                    |
 * | names of these      | ORG#o#FAMILY#f            | LAYOUTS                     |
 * | running inspection  | ORG#o#FAMILY#f            | RUNNING#t#i                 |
 * | template version    | ORG#o#TEMPLATE            | t                           |
 * | version's content   | ORG#o#TEMPLATE#t          | CONTENT                     |
 * | inspection          | ORG#o#INSPECTION          | i                           |
 * | answer              | ORG#o#INSPECTION#i        | ANSWER#field#instance path  |
 * | state of the answers| ORG#o#INSPECTION#i        | ANSWERED                    |
 * | reserved instance   | ORG#o#INSPECTION#i        | INSTANCE#sha256 of client's id |
 * | correction          | ORG#o#INSPECTION#i        | CORRECTION#c                |
 * | its changes         | ORG#o#INSPECTION#i        | REVISION#c#sequence         |
 * | … its history       | ORG#o#INSPECTION#i        | INSPECTION_ACTIVITY#id      |
 * | finding             | ORG#o#INSPECTION#i        | FINDING#n                   |
 * | corrective action   | ORG#o#INSPECTION#i        | ACTION#a                    |
 * | … its history       | ORG#o#ACTION#a            | ACTIVITY#id                 |
 * | … its documents     | ORG#o#ACTION#a            | ATTACHMENT#id               |
 * | … sent by its contact| ORG#o#ACTION#a            | FORM#hash of nonce          |
 * | … of its assignee   | ORG#o#ACTION_ASSIGNEE#u   | a, with its inspection      |
 * | report              | ORG#o#INSPECTION#i        | REPORT#r                    |
 * | issue reported in it| ORG#o#INSPECTION#i        | RAISED#issue                |
 * | count of reports    | ORG#o#INSPECTION#i        | REPORTS                     |
 * | export              | ORG#o#REPORT#r            | EXPORT#e                    |
 * | bulk export         | ORG#o#BULK_EXPORT         | b                           |
 * | … its inspections   | ORG#o#BULK_EXPORT#b       | SELECTION, ITEM#position    |
 * | mail of a report    | ORG#o#REPORT#r            | EMAIL#e                     |
 * | share link          | ORG#o#REPORT#r            | SHARE#s                     |
 * | issue category      | ORG#o#ISSUE_CATEGORY      | c                           |
 * | … its public links  | ORG#o#ISSUE_CATEGORY#c    | PUBLIC_LINK#id              |
 * | issue               | ORG#o#ISSUE               | i                           |
 * | … its history       | ORG#o#ISSUE#i             | ISSUE_ACTIVITY#id           |
 * | … what it led to    | ORG#o#ISSUE#i             | LINKED#inspection#action    |
 * | … of its assignee   | ORG#o#ISSUE_ASSIGNEE#u    | i                           |
 * | … as it was sent    | ORG#o#SUBMISSION          | hash of link and form       |
 * | child by its own id | ORG#o#FINDING, ACTION, …  | id, with its inspection     |
 * | schedule            | ORG#o#SCHEDULE            | s                           |
 * | … what it created   | ORG#o#SCHEDULE#s          | OCCURRENCE#date#l           |
 * | … its inspections   | ORG#o#SCHEDULE#s          | STARTS#starts_at#i          |
 * | calendar            | ORG#o#CALENDAR            | starts_at#i                 |
 * | due inspection      | ORG#o#DUE                 | due_at#i                    |
 * | due action          | ORG#o#ACTION_DUE          | due_at#a                    |
 * | due issue           | ORG#o#ISSUE_DUE           | due_at#i                    |
 * | assignment          | ORG#o#ASSIGNEE#u          | i                           |
 * | re-inspection       | ORG#o#REINSPECTION        | inspection#i                |
 * | notification, unread| ORG#o#UNREAD#u            | id                          |
 * | … read              | ORG#o#NOTIFICATION#u      | id                          |
 * | … as mail           | ORG#o#MAIL#id             | recipient                   |
 * | mailbox             | ORG#o#MAILBOX             | recipient                   |
 * | mails of a day      | ORG#o#MAIL_COUNT          | day#recipients              |
 * | counters            | ORG#o#COUNTER#kind        | shard                       |
 * | exported bytes      | ORG#o#EXPORTED            | day                         |
 * | usage of a resource | ORG#o#USAGE#kind          | id#shard                    |
 * | bytes stored        | ORG#o#STORAGE             | shard                       |
 * | … at most           | ORG#o#STORAGE             | MAX                         |
 * | sequence            | ORG#o#SEQUENCE            | kind                        |
 * | unique value        | ORG#o#UNIQUE#hash         | UNIQUE                      |
 * | audit record        | ORG#o#AUDIT               | id                          |
 * | idempotency claim   | ORG#o#IDEMPOTENCY#hash    | CLAIM, PART#n               |
 * | outbox              | ORG#o#OUTBOX              | event id                    |
 * | event               | ORG#o#EVENT               | sequence, 16 digits         |
 * | dead letter         | ORG#o#DEAD_LETTER         | id of the work              |
 * | connection          | ORG#o#CONNECTION          | c                           |
 * | source              | ORG#o#SOURCE              | s                           |
 * | … what syncs left   | ORG#o#SOURCE#s            | STATE                       |
 * | … its runs          | ORG#o#SOURCE#s            | RUN#r                       |
 * | … pages of a run    | ORG#o#SOURCE#s            | SEEN#r#reading#page         |
 * | … its rows          | ORG#o#SOURCE#s            | ROW#sha256 of external id   |
 * | … these as a list   | ORG#o#SOURCE#s            | LIST                        |
 * | user candidate      | ORG#o#CANDIDATE           | u                           |
 * | activity of a vendor| ORG#o#INTEGRATION#vendor  | id                          |
 * | webhook             | ORG#o#WEBHOOK             | w                           |
 * | … its state         | ORG#o#WEBHOOK_STATE       | w                           |
 * | … its deliveries    | ORG#o#WEBHOOK#w           | DELIVERY#d                  |
 * | … pending ones      | ORG#o#WEBHOOK#w           | PENDING#when#d              |
 * | … its replays       | ORG#o#WEBHOOK#w           | REPLAY#r                    |
 *
 * Access patterns:
 *
 * | who wants                                     | reads                                                |
 * |-----------------------------------------------|------------------------------------------------------|
 * | a request's key, rate and identity            | UpdateItem on KEY#sha256                             |
 * | the member for whom a key acts                | GetItem of the member                                |
 * | where a public link leads                     | GetItem of LINK#sha256                               |
 * | the person of a session, and their member     | BatchGetItem of SESSION#sha256; GetItem of the member |
 * | the organizations of a person                 | Query of PERSON#sha256                               |
 * | the members who have an email address         | Query of EMAIL#sha256                                |
 * | whether an address may be mailed              | BatchGetItem of its row and of its unique value      |
 * | one resource by id                            | GetItem of its row                                   |
 * | a resource's complete list                    | Query of its partition, strongly consistent          |
 * | a family's versions                           | Query of ORG#o#FAMILY#f; BatchGetItem of their rows  |
 * | a version with its content                    | GetItem of its row, then of its content              |
 * | running inspections of a family, by version   | Query of ORG#o#FAMILY#f from RUNNING#                |
 * | an inspection with all that belongs to it     | Query of ORG#o#INSPECTION#i                          |
 * | the history of an inspection                  | Query of ORG#o#INSPECTION#i from INSPECTION_ACTIVITY# |
 * | a finding, action or report by its own id     | GetItem of its reference, then of its row            |
 * | the history and documents of an action        | Query of ORG#o#ACTION#a                              |
 * | the actions assigned to a member              | Query of ORG#o#ACTION_ASSIGNEE#u; BatchGetItem       |
 * | inspections by status, client, location, …    | Query of by_status, by_client, …; BatchGetItem       |
 * | locations in order, page by page              | Query of ORG#o#LOCATION_NAME from a remembered end   |
 * | locations of one client account in order      | Query of ORG#o#CLIENT#c#LOCATION_NAME                |
 * | the number of inspections by status           | Query of the sixteen shards of ORG#o#COUNTER         |
 * | the bytes that are stored, and the maximum    | Query of ORG#o#STORAGE                               |
 * | the calendar of a period                      | Query of ORG#o#CALENDAR between two times            |
 * | … of one schedule                             | Query of ORG#o#SCHEDULE#s from STARTS#; BatchGetItem |
 * | a schedule's inspections                      | Query of ORG#o#SCHEDULE#s from STARTS#; BatchGetItem |
 * | inspections of one occurrence of a schedule   | Query of ORG#o#SCHEDULE#s from OCCURRENCE#date#      |
 * | schedules that have something to do           | Query of by_due                                      |
 * | the re-inspections of an inspection           | Query of ORG#o#REINSPECTION from inspection#         |
 * | overdue inspections                           | Query of ORG#o#DUE up to now                         |
 * | issues by status, client, location, category  | Query of by_status, …, by_family; BatchGetItem       |
 * | the issues assigned to a member               | Query of ORG#o#ISSUE_ASSIGNEE#u; BatchGetItem        |
 * | overdue issues                                | Query of ORG#o#ISSUE_DUE up to now                   |
 * | the history of an issue                       | Query of ORG#o#ISSUE#i from ISSUE_ACTIVITY#          |
 * | the public links of a category                | Query of ORG#o#ISSUE_CATEGORY#c                      |
 * | whether a form was sent before                | GetItem of ORG#o#SUBMISSION                          |
 * | the resource that has an external_ref         | GetItem of its unique value, then of its row         |
 * | the events after a number                     | Query of ORG#o#EVENT after a sequence                |
 * | a member's notifications, newest first        | Query of ORG#o#UNREAD#u and ORG#o#NOTIFICATION#u     |
 * | the number of unread ones                     | Query of ORG#o#UNREAD#u                              |
 * | outbox rows that the stream has not handed on | Query of by_due                                      |
 * | inspections, actions and issues that are due  | Query of by_due                                      |
 * | the dead letters of all organizations         | Query of by_due                                      |
 * | the dead letters of one organization          | Query of ORG#o#DEAD_LETTER                           |
 * | a source with what its syncs left             | BatchGetItem of its row and its state                |
 * | the runs of a source, newest first            | Query of ORG#o#SOURCE#s from RUN#                    |
 * | all rows that came from a source              | Query of ORG#o#SOURCE#s from ROW#                    |
 * | whether a source has an item                  | GetItem of its row                                   |
 * | sources that are due for a sync               | Query of by_due                                      |
 * | webhooks with their states                    | Query of ORG#o#WEBHOOK and of ORG#o#WEBHOOK_STATE    |
 * | the deliveries to a webhook, newest first     | Query of ORG#o#WEBHOOK#w from DELIVERY#              |
 * | what is to be sent to it next                 | Query of ORG#o#WEBHOOK#w from PENDING# up to now     |
 * | webhooks to which something is to be sent     | Query of by_due                                      |
 *
 * User text stands in a key only behind a fixed prefix, and only hashed where it is compared for equality: one
 * engine ignores case when it compares prefixes.
 */

/** Exists in types only: no key or partition has a property of this name. */
declare const row: unique symbol;

/** A row's key, with the type of the row that stands there. */
export interface Key<Row extends object = object> {
  pk: string;
  sk: string;
  readonly [row]?: Row;
}

/** A partition key, with the type of the rows in the partition. */
export type Partition<Row extends object = object> = string & { readonly [row]?: Row };

/** The rows of a partition whose sort keys begin with `prefix`. */
export interface Range<Row extends object = object> {
  partition: Partition<Row>;
  prefix: string;
}

/** A key as one text, to look up what belongs to it. */
export const nameOfKey = ({ pk, sk }: Key): string => `${pk} ${sk}`;

/** Number of rows that share the load of one counter. Two changes meet on one with a chance of 1 in 16. */
export const SHARDS = 16;

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** The shard of a counter that belongs to this id, always the same one. */
export const shardOf = (id: string): string =>
  shardName(Number.parseInt(sha256(id).slice(0, 4), 16) % SHARDS);

const shardName = (shard: number): string => String(shard).padStart(2, '0');

/** All shards. */
export const shards = (): string[] => Array.from({ length: SHARDS }, (_, shard) => shardName(shard));

type Org = Pick<Caller, 'org_id'>;

const orgPartition = (org: Org, ...rest: string[]): string => ['ORG', org.org_id, ...rest].join('#');

/** Whether a partition belongs to the caller's organization: the organization's own row, or one below it. */
export const isOwnPartition = (org: Org, pk: string): boolean =>
  pk === orgPartition(org) || pk.startsWith(`${orgPartition(org)}#`);

const at = (pk: string, sk: string) => ({ pk, sk });

export const keys = {
  apiKey: (hash: string): Key<KeyRow> => at(`KEY#${hash}`, 'KEY'),
  link: <Purpose extends LinkPurpose>(hash: string): Key<LinkRow<Purpose>> => at(`LINK#${hash}`, 'LINK'),
  session: (hash: string): Key<SessionRow> => at(`SESSION#${hash}`, 'SESSION'),
  /** What a person is in an organization. @param person see `personOf` */
  membership: (person: string, orgId: string): Key<Membership> => at(`PERSON#${person}`, orgId),
  /** All organizations of a person. */
  memberships: (person: string): Partition<Membership> => `PERSON#${person}`,
  /** The member of an organization who has an email address. @param hash of the address in lower case */
  emailMember: (hash: string, orgId: string): Key<EmailMember> => at(`EMAIL#${hash}`, orgId),
  /** The members of all organizations who have an email address. */
  emailMembers: (hash: string): Partition<EmailMember> => `EMAIL#${hash}`,
  /** @param what names the operation, the period, and the link or the visitor's address */
  visits: (...what: string[]): Key<VisitCount> => at(`VISITS#${sha256(what.join('\n'))}`, 'VISITS'),
  organization: (org: Org): Key<StoredOrganization> => at(orgPartition(org), 'ORGANIZATION'),
  /** What is known of an email address, which is case-folded. */
  address: (org: Org, address: string): Key<StoredAddress> =>
    at(orgPartition(org, 'ADDRESS'), sha256(address)),
  /** All addresses of which something is known. */
  addresses: (org: Org): Partition<StoredAddress> => orgPartition(org, 'ADDRESS'),
  /** All resources of a kind. */
  all: <K extends Kind>(org: Org, kind: K): Partition<Resources[K]> => orgPartition(org, kind),
  one: <K extends Kind>(org: Org, kind: K, id: string): Key<Resources[K]> => at(orgPartition(org, kind), id),
  /** The partition of everything that belongs to one resource or child: rows of different types. */
  below: (org: Org, kind: Kind | ChildKind, id: string): string => orgPartition(org, kind, id),
  /** Those rows of one type that belong to a resource or child. */
  parts: <Parent extends keyof Parts, Part extends keyof Parts[Parent] & string>(
    org: Org,
    parent: Parent,
    id: string,
    part: Part,
  ): Range<Parts[Parent][Part] & object> => ({
    partition: orgPartition(org, parent, id),
    prefix: `${part}#`,
  }),
  /** Copies of all locations, or of a client account's, in the order of their names. */
  locationsByName: (org: Org, clientId?: string | null): Partition<Location> =>
    clientId ? orgPartition(org, 'CLIENT', clientId, 'LOCATION_NAME') : orgPartition(org, 'LOCATION_NAME'),
  pageEnd: (org: Org, filters: string, offset: number): Key<PageEnd> =>
    at(orgPartition(org, 'PAGE', sha256(filters)), String(offset).padStart(16, '0')),
  familyVersion: (org: Org, familyId: string, templateId: string): Key<VersionPlace> =>
    at(orgPartition(org, 'FAMILY', familyId), `VERSION#${templateId}`),
  layout: (org: Org, familyId: string, id: string): Key<StoredLayout> =>
    at(orgPartition(org, 'FAMILY', familyId), `LAYOUT#${id}`),
  /** The names of a family's layouts. */
  layoutNames: (org: Org, familyId: string): Key<LayoutNames> =>
    at(orgPartition(org, 'FAMILY', familyId), 'LAYOUTS'),
  /** An inspection that is neither completed nor archived, listed by the template version that it uses. */
  running: (org: Org, familyId: string, templateId: string, inspectionId: string): Key =>
    at(orgPartition(org, 'FAMILY', familyId), `RUNNING#${templateId}#${inspectionId}`),
  content: (org: Org, templateId: string): Key<ContentRow> =>
    at(orgPartition(org, 'TEMPLATE', templateId), 'CONTENT'),
  answer: (org: Org, inspectionId: string, fieldId: string, instancePath: string): Key<StoredAnswer> =>
    at(orgPartition(org, 'INSPECTION', inspectionId), `ANSWER#${fieldId}#${instancePath}`),
  correction: (org: Org, inspectionId: string, id: string): Key<StoredCorrection> =>
    at(orgPartition(org, 'INSPECTION', inspectionId), `CORRECTION#${id}`),
  /** A correction's change, by its position in the correction. */
  revision: (org: Org, inspectionId: string, correctionId: string, sequence: number): Key<StoredRevision> =>
    at(
      orgPartition(org, 'INSPECTION', inspectionId),
      `REVISION#${correctionId}#${String(sequence).padStart(10, '0')}`,
    ),
  /** The changes of one correction. */
  revisions: (org: Org, inspectionId: string, correctionId: string): Range<StoredRevision> => ({
    partition: orgPartition(org, 'INSPECTION', inspectionId),
    prefix: `REVISION#${correctionId}#`,
  }),
  inspectionActivity: (org: Org, inspectionId: string, id: string): Key<StoredInspectionActivity> =>
    at(orgPartition(org, 'INSPECTION', inspectionId), `INSPECTION_ACTIVITY#${id}`),
  /** An inspection's answers in brief, for its conditions and formulas. */
  answerState: (org: Org, inspectionId: string): Key<AnswerState> =>
    at(orgPartition(org, 'INSPECTION', inspectionId), 'ANSWERED'),
  /** @param clientId the client's own id for it */
  instance: (org: Org, inspectionId: string, clientId: string): Key<StoredInstance> =>
    at(orgPartition(org, 'INSPECTION', inspectionId), `INSTANCE#${sha256(clientId)}`),
  child: <K extends ChildKind>(org: Org, inspectionId: string, kind: K, id: string): Key<Children[K]> =>
    at(orgPartition(org, 'INSPECTION', inspectionId), `${kind}#${id}`),
  activity: (org: Org, actionId: string, id: string): Key<StoredActivity> =>
    at(orgPartition(org, 'ACTION', actionId), `ACTIVITY#${id}`),
  attachment: (org: Org, actionId: string, id: string): Key<StoredAttachment> =>
    at(orgPartition(org, 'ACTION', actionId), `ATTACHMENT#${id}`),
  /** @param nonce of a form that the action's contact has sent */
  contactForm: (org: Org, actionId: string, nonce: string): Key<ContactForm> =>
    at(orgPartition(org, 'ACTION', actionId), `FORM#${sha256(nonce)}`),
  actionAssignment: (org: Org, userId: string, actionId: string): Key<ChildReference> =>
    at(orgPartition(org, 'ACTION_ASSIGNEE', userId), actionId),
  /** The actions that are assigned to a member. */
  actionAssignments: (org: Org, userId: string): Partition<ChildReference> =>
    orgPartition(org, 'ACTION_ASSIGNEE', userId),
  /** The number of reports that an inspection has had. */
  reportCount: (org: Org, inspectionId: string): Key<ReportCount> =>
    at(orgPartition(org, 'INSPECTION', inspectionId), 'REPORTS'),
  /** Leads from a child's own id to its inspection. */
  reference: (org: Org, kind: ChildKind, id: string): Key<ChildReference> => at(orgPartition(org, kind), id),
  references: (org: Org, kind: ChildKind): Partition<ChildReference> => orgPartition(org, kind),
  export: (org: Org, reportId: string, id: string): Key<StoredExport> =>
    at(orgPartition(org, 'REPORT', reportId), `EXPORT#${id}`),
  bulkSelection: (org: Org, id: string): Key<BulkSelection> =>
    at(orgPartition(org, 'BULK_EXPORT', id), 'SELECTION'),
  /** The item of a bulk export at a position, from 0. */
  bulkItem: (org: Org, id: string, position: number): Key<StoredBulkItem> =>
    at(orgPartition(org, 'BULK_EXPORT', id), `ITEM#${String(position).padStart(6, '0')}`),
  reportEmail: (org: Org, reportId: string, id: string): Key<StoredReportEmail> =>
    at(orgPartition(org, 'REPORT', reportId), `EMAIL#${id}`),
  shareLink: (org: Org, reportId: string, id: string): Key<StoredShareLink> =>
    at(orgPartition(org, 'REPORT', reportId), `SHARE#${id}`),
  /** What a schedule has created for the occurrence of a date at one of its locations; null for the one without. */
  occurrence: (
    org: Org,
    scheduleId: string,
    date: string,
    locationId: string | null,
  ): Key<CreatedOccurrence> =>
    at(orgPartition(org, 'SCHEDULE', scheduleId), `OCCURRENCE#${date}#${locationId ?? 'NONE'}`),
  /** What a schedule has created for the occurrence of a date. */
  occurrencesOn: (org: Org, scheduleId: string, date: string): Range<CreatedOccurrence> => ({
    partition: orgPartition(org, 'SCHEDULE', scheduleId),
    prefix: `OCCURRENCE#${date}#`,
  }),
  /** An inspection among those of its schedule, which are in the order of their starts. */
  scheduledStart: (
    org: Org,
    scheduleId: string,
    startsAt: string,
    inspectionId: string,
  ): Key<ScheduledStart> =>
    at(orgPartition(org, 'SCHEDULE', scheduleId), `STARTS#${startsAt}#${inspectionId}`),
  calendarEntry: (org: Org, startsAt: string, inspectionId: string): Key<CalendarEntry> =>
    at(orgPartition(org, 'CALENDAR'), `${startsAt}#${inspectionId}`),
  /** The inspections of all schedules, in the order of their starts. */
  calendar: (org: Org): Partition<CalendarEntry> => orgPartition(org, 'CALENDAR'),
  due: (org: Org, dueAt: string, inspectionId: string): Key<Deadline> =>
    at(orgPartition(org, 'DUE'), `${dueAt}#${inspectionId}`),
  /** The due dates of inspections, in their order. */
  allDue: (org: Org): Partition<Deadline> => orgPartition(org, 'DUE'),
  actionDue: (org: Org, dueAt: string, actionId: string): Key<Deadline> =>
    at(orgPartition(org, 'ACTION_DUE'), `${dueAt}#${actionId}`),
  /** The due dates of corrective actions, in their order. */
  allActionsDue: (org: Org): Partition<Deadline> => orgPartition(org, 'ACTION_DUE'),
  publicLink: (org: Org, categoryId: string, id: string): Key<StoredPublicLink> =>
    at(orgPartition(org, 'ISSUE_CATEGORY', categoryId), `PUBLIC_LINK#${id}`),
  issueActivity: (org: Org, issueId: string, id: string): Key<StoredIssueActivity> =>
    at(orgPartition(org, 'ISSUE', issueId), `ISSUE_ACTIVITY#${id}`),
  /** An inspection that was started from an issue, or a corrective action that was created from it. */
  issueLink: (org: Org, issueId: string, inspectionId: string, actionId = ''): Key<IssueLink> =>
    at(orgPartition(org, 'ISSUE', issueId), `LINKED#${inspectionId}#${actionId}`),
  /** An inspection among the re-inspections of another one. */
  reinspection: (org: Org, inspectionId: string, id: string): Key =>
    at(orgPartition(org, 'REINSPECTION'), `${inspectionId}#${id}`),
  reinspections: (org: Org, inspectionId: string): Range => ({
    partition: orgPartition(org, 'REINSPECTION'),
    prefix: `${inspectionId}#`,
  }),
  allReinspections: (org: Org): Partition => orgPartition(org, 'REINSPECTION'),
  /** An issue that was reported in an inspection. */
  raisedIssue: (org: Org, inspectionId: string, issueId: string): Key =>
    at(orgPartition(org, 'INSPECTION', inspectionId), `RAISED#${issueId}`),
  issueAssignment: (org: Org, userId: string, issueId: string): Key =>
    at(orgPartition(org, 'ISSUE_ASSIGNEE', userId), issueId),
  /** The issues that are assigned to a member. */
  issueAssignments: (org: Org, userId: string): Partition => orgPartition(org, 'ISSUE_ASSIGNEE', userId),
  issueDue: (org: Org, dueAt: string, issueId: string): Key<IssueDeadline> =>
    at(orgPartition(org, 'ISSUE_DUE'), `${dueAt}#${issueId}`),
  /** The due dates of issues, in their order. */
  allIssuesDue: (org: Org): Partition<IssueDeadline> => orgPartition(org, 'ISSUE_DUE'),
  /** The partition of an index that holds the issues with this value. */
  issuesWith: (org: Org, what: 'STATUS' | 'CLIENT' | 'LOCATION' | 'CATEGORY', value: string): Partition =>
    orgPartition(org, 'ISSUE', what, value),
  /** @param nonce the form's, which a browser makes up or gets with the form */
  submission: (org: Org, publicLinkId: string, nonce: string): Key<Submission> =>
    at(orgPartition(org, 'SUBMISSION'), sha256(`${publicLinkId}\n${nonce}`)),
  notification: (org: Org, userId: string, isRead: boolean, id: string): Key<StoredNotification> =>
    at(orgPartition(org, isRead ? 'NOTIFICATION' : 'UNREAD', userId), id),
  /** A member's read or unread notifications, in two partitions, so that the unread ones can be counted. */
  notifications: (org: Org, userId: string, isRead: boolean): Partition<StoredNotification> =>
    orgPartition(org, isRead ? 'NOTIFICATION' : 'UNREAD', userId),
  /** A mail to one recipient, or what it is to say. */
  mail: (org: Org, mailId: string, recipient: string): Key<MailDelivery> =>
    at(orgPartition(org, 'MAIL', mailId), recipient),
  /** What waits to be mailed to a recipient: a member, or the hash of an address. */
  mailbox: (org: Org, recipient: string): Key<Mailbox> => at(orgPartition(org, 'MAILBOX'), recipient),
  /** The number of mails that were sent on a day, to members or to other addresses, and of recipients of reports. */
  mailCount: (org: Org, recipients: 'MEMBERS' | 'OTHERS' | 'REPORTS', day: string): Key<Sequence> =>
    at(orgPartition(org, 'MAIL_COUNT'), `${day}#${recipients}`),
  assignment: (org: Org, userId: string, inspectionId: string): Key =>
    at(orgPartition(org, 'ASSIGNEE', userId), inspectionId),
  /** The inspections that are assigned to a member. */
  assignments: (org: Org, userId: string): Partition => orgPartition(org, 'ASSIGNEE', userId),
  /** The partition of an index (by_status, by_client, …) that holds the inspections with this value. */
  inspectionsWith: (org: Org, what: 'STATUS' | 'CLIENT' | 'LOCATION' | 'FAMILY', value: string): Partition =>
    orgPartition(org, 'INSPECTION', what, value),
  counter: <K extends keyof Counters>(org: Org, kind: K, shard: string): Key<Counters[K]> =>
    at(orgPartition(org, 'COUNTER', kind), shard),
  /** All shards of a counter. */
  counters: <K extends keyof Counters>(org: Org, kind: K): Partition<Counters[K]> =>
    orgPartition(org, 'COUNTER', kind),
  usage: (org: Org, kind: Kind, id: string, shard: string): Key<Usage> =>
    at(orgPartition(org, 'USAGE', kind), `${id}#${shard}`),
  /** The usage of all resources of a kind, shard by shard, in the order of their ids. */
  usages: (org: Org, kind: Kind): Partition<Usage> => orgPartition(org, 'USAGE', kind),
  /** One shard of the bytes that an organization stores. */
  storedBytes: (org: Org, shard: string): Key<StorageRow> => at(orgPartition(org, 'STORAGE'), shard),
  /** An organization's own maximum. It sorts behind the shards. */
  maxStoredBytes: (org: Org): Key<StorageRow> => at(orgPartition(org, 'STORAGE'), 'MAX'),
  /** All shards and the maximum. */
  storage: (org: Org): Partition<StorageRow> => orgPartition(org, 'STORAGE'),
  /** The bytes of the export files that were made on a day. */
  exportedBytes: (org: Org, day: string): Key<ExportedBytes> => at(orgPartition(org, 'EXPORTED'), day),
  allExportedBytes: (org: Org): Partition<ExportedBytes> => orgPartition(org, 'EXPORTED'),
  sequence: (org: Org, kind: 'INSPECTION' | 'FINDING' | 'CORRECTIVE_ACTION' | 'ISSUE'): Key<Sequence> =>
    at(orgPartition(org, 'SEQUENCE'), kind),
  /** All sequences. That of the events has counters as well. */
  sequences: (org: Org): Partition => orgPartition(org, 'SEQUENCE'),
  eventSequence: (org: Org): Key<EventSequence> => at(orgPartition(org, 'SEQUENCE'), 'EVENT'),
  unique: (org: Org, what: string, value: string): Key<UniqueValue> =>
    at(orgPartition(org, 'UNIQUE', sha256(`${what}\n${value}`)), 'UNIQUE'),
  idempotency: (org: Org, ...parts: string[]): Key<IdempotencyRow> =>
    keys.claim(orgPartition(org, 'IDEMPOTENCY', sha256(parts.join('\n')))),
  /** A claim on an idempotency key, by its partition. */
  claim: (pk: string): Key<IdempotencyRow> => at(pk, 'CLAIM'),
  /** The rows after the claim that continue a large reply. */
  replyParts: (pk: string): Range<IdempotencyPart> => ({ partition: pk, prefix: 'PART#' }),
  replyPart: (pk: string, part: number): Key<IdempotencyPart> => at(pk, `PART#${part}`),
  audit: (org: Org, id: string): Key<AuditRecord> => at(orgPartition(org, 'AUDIT'), id),
  /** All audit records, in their order. */
  auditLog: (org: Org): Partition<AuditRecord> => orgPartition(org, 'AUDIT'),
  outbox: (org: Org, id: string): Key<OutboxRow> => at(orgPartition(org, 'OUTBOX'), id),
  deadLetter: (org: Org, id: string): Key<DeadLetter> => at(orgPartition(org, 'DEAD_LETTER'), id),
  /** The dead letters of one organization. */
  deadLetters: (org: Org): Partition<DeadLetter> => orgPartition(org, 'DEAD_LETTER'),
  event: (org: Org, sequence: number): Key<StoredEvent> =>
    at(orgPartition(org, 'EVENT'), String(sequence).padStart(16, '0')),
  /** What syncs have left behind of a source. */
  sourceState: (org: Org, sourceId: string): Key<SourceState> =>
    at(orgPartition(org, 'SOURCE', sourceId), 'STATE'),
  syncRun: (org: Org, sourceId: string, id: string): Key<StoredRun> =>
    at(orgPartition(org, 'SOURCE', sourceId), `RUN#${id}`),
  /** A page that a run has read, by the attempt to read all of them, and its position. */
  seenPage: (org: Org, sourceId: string, runId: string, reading: number, page: number): Key<SeenPage> =>
    at(orgPartition(org, 'SOURCE', sourceId), `SEEN#${runId}#${reading}#${String(page).padStart(6, '0')}`),
  /** The pages that a run has read in one attempt. */
  seenPages: (org: Org, sourceId: string, runId: string, reading: number): Range<SeenPage> => ({
    partition: orgPartition(org, 'SOURCE', sourceId),
    prefix: `SEEN#${runId}#${reading}#`,
  }),
  syncedItem: (org: Org, sourceId: string, externalId: string): Key<SyncedItem> =>
    at(orgPartition(org, 'SOURCE', sourceId), `ROW#${sha256(externalId)}`),
  /** The rows of a source of options, as a list. */
  syncedList: (org: Org, sourceId: string): Key<SyncedList> =>
    at(orgPartition(org, 'SOURCE', sourceId), 'LIST'),
  integrationActivity: (org: Org, vendor: string, id: string): Key<StoredIntegrationActivity> =>
    at(orgPartition(org, 'INTEGRATION', vendor), id),
  /** What happened to the connections and sources of a vendor. */
  integrationActivities: (org: Org, vendor: string): Partition<StoredIntegrationActivity> =>
    orgPartition(org, 'INTEGRATION', vendor),
  /** What deliveries have left behind of a webhook. */
  webhookState: (org: Org, webhookId: string): Key<WebhookState> =>
    at(orgPartition(org, 'WEBHOOK_STATE'), webhookId),
  /** The states of all webhooks, in the order of their ids. */
  webhookStates: (org: Org): Partition<WebhookState> => orgPartition(org, 'WEBHOOK_STATE'),
  delivery: (org: Org, webhookId: string, id: string): Key<StoredDelivery> =>
    at(orgPartition(org, 'WEBHOOK', webhookId), `DELIVERY#${id}`),
  pendingDelivery: (org: Org, webhookId: string, queuedAt: string, id: string): Key<PendingDelivery> =>
    at(orgPartition(org, 'WEBHOOK', webhookId), `PENDING#${queuedAt}#${id}`),
  /** The pending deliveries to a webhook whose time comes up to `by`; all without it. */
  pendingDeliveries: (org: Org, webhookId: string, by?: string) => ({
    partition: orgPartition(org, 'WEBHOOK', webhookId) as Partition<PendingDelivery>,
    after: 'PENDING#',
    upTo: by === undefined ? 'PENDING#~' : `PENDING#${by}#~`,
  }),
  webhookReplay: (org: Org, webhookId: string, id: string): Key<StoredReplay> =>
    at(orgPartition(org, 'WEBHOOK', webhookId), `REPLAY#${id}`),
  /** All events that were handed on, in their sequence. */
  events: (org: Org): Partition<StoredEvent> => orgPartition(org, 'EVENT'),
};

/** STUB */
export interface RowKey { (org: Org, ...values: readonly string[]): Key<object>; partition(org: Org, ...values: string[]): Partition<object>; valuesIn(key: Key): Record<string,string>|undefined; template: {pk: string; sk: string} }

/** A partition of the sparse index by which workers find due rows. There are a few, to spread the load. */
export const duePartition = <K extends keyof DueRows>(what: K, shard: string): Partition<DueRows[K]> =>
  `DUE#${what}#${shard}`;

/** Attributes that only the table uses. They are never part of a resource on the wire. */
export const INTERNAL_ATTRIBUTES = [
  'pk',
  'sk',
  'ttl',
  'by_status',
  'by_client',
  'by_location',
  'by_family',
  'by_due',
  'by_due_at',
] as const;
