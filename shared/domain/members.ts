import { type Caller, isPerson, type KEY_ACCESS } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { Participant } from '../schemas/inspections/inspection.ts';
import { INSPECTING_ROLES, type Member, type Role } from '../schemas/member.ts';
import { hasPart } from './inspections/workflow.ts';

/** The duties of a member: to carry out work, to decide on the work of others, or to sign it off. */
export type Duty = 'inspect' | 'approve' | 'sign';

/** The state of an API key, which is a member by its service identity. */
export interface MemberKey {
  access: (typeof KEY_ACCESS)[number];
  /** Null for a key that never expires. */
  expires_at: string | null;
  revoked_at: string | null;
}

/** A member who may be given something to do. A person has no `key`. */
export type Candidate = Pick<Member, 'role' | 'status'> & { key?: MemberKey };

/** The roles that may have a duty, and the right that the others lack. Everybody may sign. */
const ROLES: Readonly<Partial<Record<Duty, { roles: readonly Role[]; lack: string }>>> = {
  inspect: { roles: INSPECTING_ROLES, lack: 'may not carry out inspections' },
  approve: { roles: ['admin', 'approver', 'api'], lack: 'may not approve inspections' },
};

/**
 * Checks that the role of a person lets them do what a duty is for. Keys have rules of their own.
 * @throws ApiError 403
 */
export const expectRole = (caller: Caller, duty: Duty): void => {
  const rule = ROLES[duty];
  if (rule && isPerson(caller) && !rule.roles.includes(caller.role)) throw errors.roleNotAllowed(caller.role);
};

/** The duty of a participant. */
export const dutyOf = ({ role }: Pick<Participant, 'role'>): Duty => {
  if (hasPart({ role })) return 'inspect';
  return role === 'approver' ? 'approve' : 'sign';
};

/** Why an API key cannot do any work; undefined when it can. */
const keyObstacle = ({ revoked_at, expires_at, access }: MemberKey, now: string): string | undefined => {
  if (revoked_at !== null) return 'an API key that was revoked';
  if (expires_at !== null && expires_at <= now) return 'an API key that has expired';
  return access === 'read_only' ? 'an API key that may only read' : undefined;
};

/**
 * Why an active member cannot take on a duty, in words that follow “names”; undefined when they can.
 * @param now ISO 8601 in UTC
 * @param isForKeys whether keys may decide on the inspections that the duty is for
 */
export const obstacleTo = (
  duty: Duty,
  { role, key }: Candidate,
  now: string,
  isForKeys = true,
): string | undefined => {
  const rule = ROLES[duty];
  if (rule && !rule.roles.includes(role)) return `a member with the role ${role}, who ${rule.lack}`;
  if (duty === 'approve' && role === 'api' && !isForKeys) {
    return 'an API key, and the template family does not let keys decide';
  }
  return key && keyObstacle(key, now);
};

/**
 * Whether API keys may decide on inspections with these settings. Where nobody decides, a key can be named as well as a
 * person.
 */
export const mayKeysDecide = ({
  requires_approval,
  approval,
}: {
  requires_approval: boolean;
  approval: { allow_api: boolean; signed_in_only: boolean };
}): boolean => (approval.allow_api && !approval.signed_in_only) || !requires_approval;

/**
 * Whether a member can take on a duty now. A member who does not exist cannot.
 * @param isForKeys as for `obstacleTo`
 */
export const isAble = (duty: Duty, member: Candidate | undefined, isForKeys?: boolean): member is Candidate =>
  member?.status === 'active' && obstacleTo(duty, member, new Date().toISOString(), isForKeys) === undefined;
