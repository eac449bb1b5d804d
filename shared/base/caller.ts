/**
 * The person, key or service that reads or writes something. Every repository function takes it as its first argument
 * and gets the organization only from it, so no id in a request can reach another organization's rows.
 */
export interface Caller {
  org_id: string;
  /** For an API key, its service identity, which is a member with the role `api`. */
  user_id: string;
  name: string;
  /**
   * Signs the cursors that the caller gets, and is never sent to it. A caller without one has cursors that are valid in
   * this process only.
   */
  cursor_secret?: string;
  /** The API key through which a person acts (`On-Behalf-Of`). Absent from everybody who acts directly. */
  acted_via_key_id?: string;
  /** The person who made the key of the request, or has rotated it last. Absent without a key, and when the platform team made it. */
  key_maker?: string;
}

/** What an API key allows. */
export const KEY_ACCESS = ['read_write', 'read_only'] as const;

/** A caller that authenticated with an API key. */
export interface KeyCaller extends Caller {
  key_id: string;
  access: (typeof KEY_ACCESS)[number];
  /** It may act for members (`On-Behalf-Of`). */
  act_for_members?: true;
  /** What it may do, such as `inspections:read`. Absent from a key that may do all that `access` allows. */
  scopes?: readonly string[];
  /** Long replies that the key gets at the moment. */
  long_replies?: number;
  /** Number of the request among all that the key has made. */
  request_number?: number;
}

/** The roles that people can have in an organization. */
export const PERSON_ROLES = ['admin', 'approver', 'inspector'] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

/** A signed-in person in the organization that they have chosen, or a person for whom a key acts. */
export interface PersonCaller extends Caller {
  role: PersonRole;
}

/** Whether an API key acts for itself, and not for a person; the operator and the service itself are no keys. */
export const isKey = (caller: Caller): caller is KeyCaller => 'key_id' in caller;

/** Whether the caller is a person, who has signed in or for whom a key acts. */
export const isPerson = (caller: Caller): caller is PersonCaller => 'role' in caller;

/**
 * Whether the caller is somebody who has signed in and sees only what is their own: members of other roles than admin.
 * Whoever a key acts for sees what the key sees.
 */
export const seesOnlyOwn = (caller: Caller): caller is PersonCaller =>
  isPerson(caller) && caller.role !== 'admin' && caller.acted_via_key_id === undefined;

/** The key through which a person acts, as a record stores it; empty for everybody who acts directly. */
export const viaKey = ({ acted_via_key_id }: Pick<Caller, 'acted_via_key_id'>) =>
  acted_via_key_id === undefined ? {} : { acted_via_key_id };

/** The service itself, as the caller of changes that happen only because time passes. */
export const serviceOf = (org_id: string): Caller => ({ org_id, user_id: '', name: 'service' });

/** Somebody who has opened a public link of an organization. Nothing else is known about them. */
export const visitorOf = (org_id: string): Caller => ({ org_id, user_id: '', name: 'visitor' });
