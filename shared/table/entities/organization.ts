import type { KeyCaller } from '../../base/caller.ts';
import type { MailNote } from '../../domain/mail/progress.ts';
import type { MemberKey } from '../../domain/members.ts';
import type { SettingChanges } from '../../domain/settings.ts';
import type { KeyScope } from '../../schemas/api-key.ts';
import type { ActorKind, AuditedAction } from '../../schemas/audit.ts';
import type { ClientAccount } from '../../schemas/client-account.ts';
import type { Document, NewUpload } from '../../schemas/document.ts';
import type { LocationTransfer } from '../../schemas/location-transfer.ts';
import type { ListedLocation, Location } from '../../schemas/location.ts';
import type { LoggedRequest } from '../../schemas/logged-request.ts';
import type { MailLimits, MailPause, MailQuestion } from '../../schemas/mail.ts';
import type { Member } from '../../schemas/member.ts';
import type { Handover, Organization } from '../../schemas/organization.ts';
import type { Preferences } from '../../schemas/preferences.ts';
import type { ProfileChanges } from '../../schemas/profile.ts';
import type { Region } from '../../schemas/region.ts';
import type { MonthCounter } from '../months.ts';
import type { Versioned } from './common.ts';

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
  /** The person who made it, or has rotated it last. Absent when the platform team did. */
  created_by?: string;
  /** The clock minute that `count` belongs to. */
  minute: number;
  /** Requests in that minute. */
  count: number;
  /** All requests that were counted. Absent before the first. */
  requests?: number;
  /** Those of a month. */
  [counter: MonthCounter<'requests'>]: number | undefined;
  /** As the organization has it. */
  max_requests_per_minute?: number;
  /** As the organization has it. */
  max_requests_of_all_keys?: number;
  /** While the organization is suspended, so that a request is refused without reading that. */
  is_suspended?: boolean;
  last_used_at?: string;
  /** The network address of the last request. */
  last_used_from?: string;
  /** Null for a key that may do all that `access` allows. */
  scopes: KeyScope[] | null;
  /** The networks from which it can be used, as CIDR or as an address. Null where all are allowed. */
  networks: string[] | null;
  /** The hash of the secret that a rotation has put in its place. All that holds for the key is in that row. */
  successor?: string;
  /** Random, the same in all keys of an organization. */
  cursor_secret: string;
  revoked_at?: string;
  /** Epoch milliseconds. */
  valid_until?: number;
  /** The leases of long replies that are being sent; see `long-replies.ts`. */
  long_replies?: ReadonlySet<string>;
}

/** One of the last requests of a key. A later one takes its place. */
export interface StoredRequest {
  /** The request's id, as its client got it. */
  id: string;
  key_id: string;
  /** Its number among all of the key. */
  number: number;
  /** The member for whom the key acted; null when it acted for itself. */
  on_behalf_of: string | null;
  /** When it began, ISO 8601 in UTC. */
  at: string;
  /** Milliseconds. */
  duration: number;
  /** The operation's id. */
  operation: string;
  method: LoggedRequest['method'];
  /** With `{names}`, and what stood in their places, as far as they were ids. */
  path: string;
  params: Record<string, string>;
  query: LoggedRequest['query'];
  status: number;
  /** Of an error. */
  code: string | null;
  detail: LoggedRequest['detail'];
  /** Epoch seconds. */
  ttl: number;
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
  /** The person who made it, or has rotated it last. Null when the operator of the service did. */
  created_by: string | null;
  created_by_name: string | null;
  expires_at: string | null;
  scopes: KeyScope[] | null;
  networks: string[] | null;
  rotated_at: string | null;
  /** The secret before the last rotation. It works until the time. */
  previous: { hash: string; prefix: string; until: string } | null;
}

/** The logo is an object in the bucket. Its URL is signed when the organization is read. */
export type StoredOrganization = Omit<Organization, 'handover' | 'logo_url' | 'reply_to_confirmed'> & {
  logo_key: string | null;
  /** Bytes of the logo. Absent before the first one. */
  logo_bytes?: number;
  /** What the operator has set. Absent limits are the usual ones. */
  mail_limits?: Partial<MailLimits>;
  /** Of each key; more than the usual ones. Absent while the operator has set no other number. */
  max_requests_per_minute?: number;
  /** In a minute, of all keys together. Absent without a quota. */
  max_requests_of_all_keys?: number;
  /** Why mails to people who are no members are not sent. Absent or null while they are. */
  mails_paused?: MailPause | null;
  /** Absent or null while it works. */
  suspended?: Suspension | null;
  /** Who is named as the next owner, and by which owner. One that has expired stays until the next. */
  handover?: (Handover & { named_by: string }) | null;
};

/** Why nobody can use an organization, and none of its work is done. */
export interface Suspension {
  /** ISO 8601 in UTC. */
  at: string;
  /** When it may be deleted, ISO 8601 in UTC; null where nobody wants that. */
  delete_after: string | null;
  /** What was deleted so far. Absent before the deletion begins. */
  deleted?: Deleted;
  /** An import has begun, and has not ended: its rows and files are written, or all of them stand and people are let in. */
  importing?: 'writing' | 'ending';
}

/** How much of an organization was deleted. */
export interface Deleted {
  since: string;
  rows: number;
  objects: number;
}

/** The member's own locale and time zone appear only in its profile. */
export type StoredMember = Omit<Member, 'invitation_expires_at' | 'mail'> &
  Versioned &
  Pick<ProfileChanges, 'locale' | 'timezone'> & {
    /** Of the key whose service identity this is. Absent from people. */
    key?: MemberKey;
    /** Absent until somebody has signed in as this member. */
    identity?: MemberIdentity;
    /** Absent unless the member is invited. */
    invitation?: Invitation;
    /** What became of the mail of an invitation. */
    invitation_mailed?: MailNote & { invitation_id: string };
    /** While the organization is suspended, so that a request is refused without reading that. */
    in_suspended?: boolean;
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
  /** The name at that time. */
  actor_name: string;
  actor_kind: ActorKind;
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
  /** The same for the offer of a report. Absent before the first one. */
  offered_at?: string;
  offered_by?: string;
  /** The ids of the last questions to it, as many as can be open at once. Absent before the first one. */
  questions?: string[];
  /** Set while nothing may be sent because of what became of earlier mails, whatever the owner has answered. */
  suppressed: { reason: SuppressionReason; at: string } | null;
  version: number;
  created_at: string;
  updated_at: string;
}

/** A question that nobody at an address has answered. */
export interface OpenQuestion extends MailQuestion {
  updated_at: string;
  /** Epoch seconds: when it expires. */
  ttl: number;
}

/** A question that a member has ended. The end of an offer stands in its share link, if that exists. */
export interface EndedQuestion {
  ended_at: string;
  /** Epoch seconds: its mail may have waited until then. */
  ttl: number;
}

/** Why nothing may be sent to an address: a mail bounced for good, or its owner reported one as unwanted. */
export type SuppressionReason = 'bounced' | 'complained';

/** What a public link leads to, by its purpose. */
export interface LinkTargets {
  /**
   * The question to an address whether it wants mails, and the share link of the report that it is offered, if any. An
   * offer has the id of that link.
   */
  confirm: { address: string; question_id?: string; report?: LinkTargets['share'] };
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
  /** The signature of a witness. */
  sign: { inspection_id: string; field_id: string; instance_path: string; link_id: string };
  /** What anyone who has the number of a certificate may know of it. */
  verify: { certificate_id: string };
  /** A certificate that is shared with whoever has the link. */
  certificate: { certificate_id: string; share_id: string };
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
export type StoredClientAccount = Omit<ClientAccount, 'digest_mail' | 'locations_count' | keyof SyncedFrom> &
  Partial<Synced> & {
    /** What became of the digest that has told of a period until then. Absent before the first one. */
    digest_mailed?: MailNote & { to: string };
  };

/** Where a resource that is synced comes from. */
type SyncedFrom = Pick<Location, 'source' | 'source_id' | 'external_id' | 'synced_at'>;

/** Of a resource that is synced. */
export type Synced = SyncedFrom & {
  /** The fields that its source fills, which nobody changes by hand. */
  synced_fields: string[];
};

/** Its path is made from the regions above it when it is read. */
export type StoredRegion = Omit<Region, 'path'>;

/** `lineage` holds the ids of the locations above this one when it was placed there, nearest first. */
export type StoredLocation = ListedLocation & { lineage: string[] } & Partial<
    Pick<Synced, 'synced_fields'>
  > & {
    /**
     * The location that stands in its place. It is in no list then, and nothing new can name it. As long as something may
     * still name it, the other one is its parent as well.
     */
    merged_into?: string;
  };

/** A transfer of a location, which its worker finds when it is due. */
export type StoredTransfer = LocationTransfer & { org_id: string };

/** Changes of `used_by_count` update the row in place, so the row is never replaced. */
export type StoredDocument = Document & Versioned;

/** A file that a client may upload directly to the bucket. Its id becomes the document's id. */
export type PendingUpload = Pick<NewUpload, 'file_name' | 'size_bytes'> & { id: string; opened_at: string };

/* People: their sessions, and which members they are. These rows belong to no organization. */

/** A session of a signed-in person. The session's id is not stored; its hash is the partition key. */
export interface SessionRow {
  /** See `personOf`. */
  person: string;
  /** As the identity provider named the person when the session began. */
  name: string;
  email: string;
  /** The identity provider, and whether it has verified the address. */
  issuer: string;
  is_email_verified: boolean;
  /** The invitation by whose link the person came to sign in. */
  followed?: FollowedInvitation;
  /** Both are null until the person has chosen one of several organizations. */
  org_id: string | null;
  user_id: string | null;
  /** Signs the cursors of its lists. */
  cursor_secret: string;
  /** Epoch milliseconds. */
  created_at: number;
  /** Epoch milliseconds. The session has ended then, however much it is used. */
  ends_at: number;
  /** When it was last used, in epoch milliseconds; up to a minute late. */
  seen_at: number;
  /** Epoch seconds: when it ends unless it is used again. */
  ttl: number;
}

/** By which a person finds the sessions of their own. One whose session has ended means nothing. */
export interface OwnSessionRow {
  hash: string;
  /** How the browser named itself at sign-in; empty where it did not. */
  user_agent: string;
  /** Epoch seconds: when the session ends at the latest. */
  ttl: number;
}

/** A person as a member of an organization. */
export interface Membership {
  org_id: string;
  user_id: string;
}

/** The member of an organization who has an email address. It is found before it is known who has signed in. */
export type EmailMember = Membership;

/** Who has signed in as a member, once somebody has. */
export interface MemberIdentity {
  /** The identity provider. After a change to another one, the member is found by the email address once more. */
  issuer: string;
  /** See `personOf`. */
  person: string;
}

/** An invitation that nobody has accepted yet. */
export interface Invitation {
  /** Stands in the link. A new mail has a new one, and the former link ends. */
  id: string;
  /** ISO 8601. */
  expires_at: string;
  /** The name of who invites. */
  invited_by: string;
}

/** An invitation whose link somebody has followed. */
export type FollowedInvitation = Membership & { invitation_id: string };
