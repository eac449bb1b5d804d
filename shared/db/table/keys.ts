import { createHash } from 'node:crypto';
import type { Caller } from '../../base/caller.ts';

/**
 * Every partition and sort key of the table, spelled here and nowhere else.
 *
 * Entities (o = organization id, other letters = ids; every id is a UUIDv7, so an ascending sort key is
 * creation order):
 *
 * | entity              | pk                        | sk                          |
 * |---------------------|---------------------------|-----------------------------|
 * | key, by its hash    | KEY#sha256                | KEY                         |
 * | organization        | ORG#o                     | ORGANIZATION                |
 * | key, as listed      | ORG#o#KEY                 | k                           |
 * | member              | ORG#o#MEMBER              | u                           |
 * | member's preferences| ORG#o#PREFERENCES         | u                           |
 * | client account      | ORG#o#CLIENT              | c                           |
 * | location            | ORG#o#LOCATION            | l                           |
 * | location, by name   | ORG#o#LOCATION_NAME       | folded name, 0x01, l        |
 * | … of one client     | ORG#o#CLIENT#c#LOCATION_NAME | folded name, 0x01, l     |
 * | end of a page       | ORG#o#PAGE#hash           | offset                      |
 * | document            | ORG#o#DOCUMENT            | d                           |
 * | upload to complete  | ORG#o#UPLOAD              | d                           |
 * | template family     | ORG#o#FAMILY              | f                           |
 * | family's versions   | ORG#o#FAMILY#f            | VERSION#t                   |
 * | family's layouts    | ORG#o#FAMILY#f            | LAYOUT#l                    |
 * | names of these      | ORG#o#FAMILY#f            | LAYOUTS                     |
 * | running inspection  | ORG#o#FAMILY#f            | RUNNING#t#i                 |
 * | template version    | ORG#o#TEMPLATE            | t                           |
 * | version's content   | ORG#o#TEMPLATE#t          | CONTENT                     |
 * | inspection          | ORG#o#INSPECTION          | i                           |
 * | answer              | ORG#o#INSPECTION#i        | ANSWER#field#instance path  |
 * | all answers, briefly| ORG#o#INSPECTION#i        | ANSWERED                    |
 * | correction          | ORG#o#INSPECTION#i        | CORRECTION#c                |
 * | its changes         | ORG#o#INSPECTION#i        | REVISION#c#sequence         |
 * | finding             | ORG#o#INSPECTION#i        | FINDING#n                   |
 * | corrective action   | ORG#o#INSPECTION#i        | ACTION#a                    |
 * | … what happened     | ORG#o#ACTION#a            | ACTIVITY#id                 |
 * | … its documents     | ORG#o#ACTION#a            | ATTACHMENT#id               |
 * | … given to someone  | ORG#o#ACTION_ASSIGNEE#u   | a, with its inspection      |
 * | report              | ORG#o#INSPECTION#i        | REPORT#r                    |
 * | count of reports    | ORG#o#INSPECTION#i        | REPORTS                     |
 * | export              | ORG#o#REPORT#r            | EXPORT#e                    |
 * | child by its own id | ORG#o#FINDING, ACTION, …  | id, with its inspection     |
 * | due inspection      | ORG#o#DUE                 | due_at#i                    |
 * | due action          | ORG#o#ACTION_DUE          | due_at#a                    |
 * | assignment          | ORG#o#ASSIGNEE#u          | i                           |
 * | notification, unread| ORG#o#UNREAD#u            | id                          |
 * | … read              | ORG#o#NOTIFICATION#u      | id                          |
 * | … as mail           | ORG#o#MAIL#id             | recipient                   |
 * | counters            | ORG#o#COUNTER#kind        | shard                       |
 * | usage of a resource | ORG#o#USAGE#kind          | id#shard                    |
 * | sequence            | ORG#o#SEQUENCE            | kind                        |
 * | unique value        | ORG#o#UNIQUE#hash         | UNIQUE                      |
 * | audit record        | ORG#o#AUDIT               | id                          |
 * | idempotency claim   | ORG#o#IDEMPOTENCY#hash    | CLAIM, PART#n               |
 * | outbox              | ORG#o#OUTBOX              | event id                    |
 * | event, handed on    | ORG#o#EVENT               | sequence, 16 digits         |
 *
 * Access patterns:
 *
 * | who wants                                     | reads                                                |
 * |-----------------------------------------------|------------------------------------------------------|
 * | a request's key, rate and identity            | UpdateItem on KEY#sha256                             |
 * | one resource by id                            | GetItem of its row                                   |
 * | a resource's complete list                    | Query of its partition, strongly consistent          |
 * | a family's versions                           | Query of ORG#o#FAMILY#f; BatchGetItem of their rows  |
 * | a version with its content                    | GetItem of its row, then of its content              |
 * | running inspections of a family, by version   | Query of ORG#o#FAMILY#f from RUNNING#                |
 * | an inspection with all that belongs to it     | Query of ORG#o#INSPECTION#i                          |
 * | a finding, action or report by its own id     | GetItem of its reference, then of its row            |
 * | what happened to an action, its documents     | Query of ORG#o#ACTION#a                              |
 * | the actions given to a member                 | Query of ORG#o#ACTION_ASSIGNEE#u; BatchGetItem       |
 * | inspections by status, client, location, …    | Query of by_status, by_client, …; BatchGetItem       |
 * | locations in order, page by page              | Query of ORG#o#LOCATION_NAME from a remembered end   |
 * | locations of one client account in order      | Query of ORG#o#CLIENT#c#LOCATION_NAME                |
 * | how many inspections are in which state       | Query of the sixteen shards of ORG#o#COUNTER         |
 * | overdue inspections                           | Query of ORG#o#DUE up to now                         |
 * | the resource that has an external_ref         | GetItem of its unique value, then of its row         |
 * | what happened since                           | Query of ORG#o#EVENT after a sequence                |
 * | a member's notifications, newest first        | Query of ORG#o#UNREAD#u and ORG#o#NOTIFICATION#u     |
 * | how many of these are unread                  | Query of ORG#o#UNREAD#u                              |
 * | outbox rows that the stream has not handed on | Query of by_due                                      |
 * | inspections and actions that have become due  | Query of by_due                                      |
 *
 * User text never stands in a key but behind a fixed prefix, and only hashed where it is compared for
 * equality: one engine compares prefixes without case.
 */
export interface Key {
  pk: string;
  sk: string;
}

/** Resources whose rows stand in a partition of their kind under their id. */
export type Kind =
  | 'KEY'
  | 'MEMBER'
  | 'PREFERENCES'
  | 'CLIENT'
  | 'LOCATION'
  | 'DOCUMENT'
  | 'UPLOAD'
  | 'FAMILY'
  | 'TEMPLATE'
  | 'INSPECTION';

/** Children of an inspection that are also addressed by their own id. */
export type ChildKind = 'FINDING' | 'ACTION' | 'REPORT';

/** How many rows share the load of one counter; two changes meet on one with a chance of 1 in 16. */
export const SHARDS = 16;

export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');

/** The shard of a counter that belongs to this id, always the same one. */
export const shardOf = (id: string): string =>
  shardName(Number.parseInt(sha256(id).slice(0, 4), 16) % SHARDS);

const shardName = (shard: number): string => String(shard).padStart(2, '0');

/** Every shard there is. */
export const shards = (): string[] => Array.from({ length: SHARDS }, (_, shard) => shardName(shard));

const orgPartition = (caller: Pick<Caller, 'org_id'>, ...rest: string[]): string =>
  ['ORG', caller.org_id, ...rest].join('#');

/** Whether a partition is the caller's organization's: its own row, or one below it. */
export const isOwnPartition = (caller: Pick<Caller, 'org_id'>, pk: string): boolean =>
  pk === orgPartition(caller) || pk.startsWith(`${orgPartition(caller)}#`);

type Org = Pick<Caller, 'org_id'>;

export const keys = {
  apiKey: (hash: string): Key => ({ pk: `KEY#${hash}`, sk: 'KEY' }),
  organization: (org: Org): Key => ({ pk: orgPartition(org), sk: 'ORGANIZATION' }),
  all: (org: Org, kind: Kind): string => orgPartition(org, kind),
  one: (org: Org, kind: Kind, id: string): Key => ({ pk: orgPartition(org, kind), sk: id }),
  /** The partition of what belongs to one resource. */
  below: (org: Org, kind: Kind | ChildKind, id: string): string => orgPartition(org, kind, id),
  /** Copies of all locations, or of a client account's, in the order of their names. */
  locationsByName: (org: Org, clientId?: string | null): string =>
    clientId ? orgPartition(org, 'CLIENT', clientId, 'LOCATION_NAME') : orgPartition(org, 'LOCATION_NAME'),
  pageEnds: (org: Org, filters: string): string => orgPartition(org, 'PAGE', sha256(filters)),
  familyVersion: (org: Org, familyId: string, templateId: string): Key => ({
    pk: orgPartition(org, 'FAMILY', familyId),
    sk: `VERSION#${templateId}`,
  }),
  layout: (org: Org, familyId: string, id: string): Key => ({
    pk: orgPartition(org, 'FAMILY', familyId),
    sk: `LAYOUT#${id}`,
  }),
  /** Which layouts a family has, by their names. */
  layoutNames: (org: Org, familyId: string): Key => ({
    pk: orgPartition(org, 'FAMILY', familyId),
    sk: 'LAYOUTS',
  }),
  /** An inspection that is neither completed nor archived, beside the version that it pins. */
  running: (org: Org, familyId: string, templateId: string, inspectionId: string): Key => ({
    pk: orgPartition(org, 'FAMILY', familyId),
    sk: `RUNNING#${templateId}#${inspectionId}`,
  }),
  content: (org: Org, templateId: string): Key => ({
    pk: orgPartition(org, 'TEMPLATE', templateId),
    sk: 'CONTENT',
  }),
  answer: (org: Org, inspectionId: string, fieldId: string, instancePath: string): Key => ({
    pk: orgPartition(org, 'INSPECTION', inspectionId),
    sk: `ANSWER#${fieldId}#${instancePath}`,
  }),
  correction: (org: Org, inspectionId: string, id: string): Key => ({
    pk: orgPartition(org, 'INSPECTION', inspectionId),
    sk: `CORRECTION#${id}`,
  }),
  /** A correction's change by its place in the session. */
  revision: (org: Org, inspectionId: string, correctionId: string, sequence: number): Key => ({
    pk: orgPartition(org, 'INSPECTION', inspectionId),
    sk: `REVISION#${correctionId}#${String(sequence).padStart(10, '0')}`,
  }),
  /** What an inspection's answers are to its conditions and formulas. */
  answerState: (org: Org, inspectionId: string): Key => ({
    pk: orgPartition(org, 'INSPECTION', inspectionId),
    sk: 'ANSWERED',
  }),
  child: (org: Org, inspectionId: string, kind: ChildKind, id: string): Key => ({
    pk: orgPartition(org, 'INSPECTION', inspectionId),
    sk: `${kind}#${id}`,
  }),
  activity: (org: Org, actionId: string, id: string): Key => ({
    pk: orgPartition(org, 'ACTION', actionId),
    sk: `ACTIVITY#${id}`,
  }),
  attachment: (org: Org, actionId: string, id: string): Key => ({
    pk: orgPartition(org, 'ACTION', actionId),
    sk: `ATTACHMENT#${id}`,
  }),
  actionAssignment: (org: Org, userId: string, actionId: string): Key => ({
    pk: orgPartition(org, 'ACTION_ASSIGNEE', userId),
    sk: actionId,
  }),
  /** How many reports an inspection has had. */
  reportCount: (org: Org, inspectionId: string): Key => ({
    pk: orgPartition(org, 'INSPECTION', inspectionId),
    sk: 'REPORTS',
  }),
  /** Where a child's inspection is found by the child's own id. */
  reference: (org: Org, kind: ChildKind, id: string): Key => ({ pk: orgPartition(org, kind), sk: id }),
  export: (org: Org, reportId: string, id: string): Key => ({
    pk: orgPartition(org, 'REPORT', reportId),
    sk: `EXPORT#${id}`,
  }),
  due: (org: Org, dueAt: string, inspectionId: string): Key => ({
    pk: orgPartition(org, 'DUE'),
    sk: `${dueAt}#${inspectionId}`,
  }),
  actionDue: (org: Org, dueAt: string, actionId: string): Key => ({
    pk: orgPartition(org, 'ACTION_DUE'),
    sk: `${dueAt}#${actionId}`,
  }),
  /** A member's notifications: the unread ones and the read ones, so that the former can be counted. */
  notification: (org: Org, userId: string, isRead: boolean, id: string): Key => ({
    pk: orgPartition(org, isRead ? 'NOTIFICATION' : 'UNREAD', userId),
    sk: id,
  }),
  /** That a notification is, or has been, mailed to one recipient. */
  mail: (org: Org, notificationId: string, recipient: string): Key => ({
    pk: orgPartition(org, 'MAIL', notificationId),
    sk: recipient,
  }),
  assignment: (org: Org, userId: string, inspectionId: string): Key => ({
    pk: orgPartition(org, 'ASSIGNEE', userId),
    sk: inspectionId,
  }),
  /** The partition of an index (by_status, by_client, …) that holds the inspections with this value. */
  inspectionsWith: (org: Org, what: 'STATUS' | 'CLIENT' | 'LOCATION' | 'FAMILY', value: string): string =>
    orgPartition(org, 'INSPECTION', what, value),
  counter: (org: Org, kind: 'INSPECTION' | 'LOCATION', shard: string): Key => ({
    pk: orgPartition(org, 'COUNTER', kind),
    sk: shard,
  }),
  usages: (org: Org, kind: Kind): string => orgPartition(org, 'USAGE', kind),
  usage: (org: Org, kind: Kind, id: string, shard: string): Key => ({
    pk: orgPartition(org, 'USAGE', kind),
    sk: `${id}#${shard}`,
  }),
  sequence: (org: Org, kind: 'INSPECTION' | 'FINDING' | 'CORRECTIVE_ACTION' | 'EVENT'): Key => ({
    pk: orgPartition(org, 'SEQUENCE'),
    sk: kind,
  }),
  unique: (org: Org, what: string, value: string): Key => ({
    pk: orgPartition(org, 'UNIQUE', sha256(`${what}\n${value}`)),
    sk: 'UNIQUE',
  }),
  idempotency: (org: Org, ...parts: string[]): Key => ({
    pk: orgPartition(org, 'IDEMPOTENCY', sha256(parts.join('\n'))),
    sk: 'CLAIM',
  }),
  audit: (org: Org, id: string): Key => ({ pk: orgPartition(org, 'AUDIT'), sk: id }),
  outbox: (org: Org, id: string): Key => ({ pk: orgPartition(org, 'OUTBOX'), sk: id }),
  event: (org: Org, sequence: number): Key => ({
    pk: orgPartition(org, 'EVENT'),
    sk: String(sequence).padStart(16, '0'),
  }),
};

/** What waits for its time: to be handed on, or to be told of. */
export type Due = 'OUTBOX' | 'DEADLINE';

/** Partitions of the sparse index by which workers find what is due, spread over a few. */
export const duePartition = (what: Due, shard: string): string => `DUE#${what}#${shard}`;

/** Attributes that are the table's own business and never part of a resource on the wire. */
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
