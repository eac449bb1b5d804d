import type { Caller } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import * as errors from '../../base/errors.ts';
import { foldedAddress } from '../../base/text.ts';
import { progressOf } from '../../domain/mail/progress.ts';
import { type Candidate, type Duty, isAble, type MemberKey, obstacleTo } from '../../domain/members.ts';
import { wordFilter } from '../../domain/words.ts';
import { INSPECTING_ROLES, Member, type Role } from '../../schemas/member.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import type { Work } from '../../table/change.ts';
import { collection, newResource } from '../../table/collection.ts';
import { exists } from '../../table/conditions.ts';
import type { UniqueValue } from '../../table/entities/machinery.ts';
import type { StoredMember } from '../../table/entities/organization.ts';
import { type Key, keys } from '../../table/keys.ts';
import type { Listing, ListQuery } from '../../table/listing.ts';
import { queryRows } from '../../table/rows.ts';
import { moveReservation, reserve } from '../../table/unique.ts';
import * as write from '../../table/writes.ts';
import { systemWrite, type Write } from '../../table/writes.ts';

const memberRecords = collection('MEMBER', 'member');

/** A member as clients see it. */
export const toMember = (stored: StoredMember): Presented<Member> => {
  const { invitation, invitation_mailed: mailed } = stored;
  return present(Member, stored, {
    invitation_expires_at: invitation?.expires_at ?? null,
    mail: invitation ? progressOf(mailed?.invitation_id === invitation.id ? mailed : undefined) : null,
  });
};

type MemberQuery = ListQuery & {
  q?: string | undefined;
  role?: Role[] | undefined;
  status?: Member['status'][] | undefined;
};

export const key = memberRecords.key;

const EMAIL = 'email';

/** The key of the row that names the member with an email address, in upper or lower case. */
export const addressKey = (caller: Caller, address: string): Key<UniqueValue> =>
  keys.unique(caller, EMAIL, foldedAddress(address));

export const find = memberRecords.find;

/** A person or a key as a member of the organization. @throws ApiError 404 */
export const get = async (caller: Caller, userId: string): Promise<Member> =>
  toMember(await memberRecords.get(caller, userId));

/** In creation order. One call per megabyte of members. */
export const list = (caller: Caller, query: MemberQuery): Promise<Listing<Member>> =>
  memberRecords.list(
    caller,
    query,
    { where: { role: query.role, status: query.status }, keep: wordFilter(query.q) },
    toMember,
  );

/** The members to whom an inspection can be assigned: those who can carry one out. */
export const listAssignable = (caller: Caller, query: ListQuery): Promise<Listing<Member>> => {
  // The added filter makes a cursor of this list different from one of `list`.
  const filters = { ...query, is_assignable: true };
  return memberRecords.list(
    caller,
    filters,
    { where: { role: INSPECTING_ROLES, status: ['active'] }, keep: (member) => isAble('inspect', member) },
    toMember,
  );
};

/** How many admins are told about something that concerns the whole organization. */
const MAX_ADMINS_TOLD = 25;

/** The ids of the organization's active admins, `MAX_ADMINS_TOLD` at most. One call per megabyte of members. */
export const adminsOf = async (caller: Caller): Promise<string[]> => {
  const admins: string[] = [];
  const active = queryRows(caller, {
    partition: keys.all(caller, 'MEMBER'),
    where: { role: ['admin'], status: ['active'] },
  });
  for await (const { user_id } of active) {
    if (admins.push(user_id) === MAX_ADMINS_TOLD) break;
  }
  return admins;
};

/** Notes in a key's own member until when the key is valid, and whether it was revoked. */
export const keyWrite = (work: Work, userId: string, key: MemberKey): Write =>
  write.update(memberRecords.key(work, userId), { set: { key }, add: { version: 1 } }, exists);

type NewMember = Pick<StoredMember, 'user_id' | 'name' | 'email' | 'role'> &
  Partial<
    Pick<
      StoredMember,
      | 'position'
      | 'phone'
      | 'status'
      | 'invitation'
      | 'identity'
      | 'key'
      | 'acting_consented_at'
      | 'in_suspended'
    >
  >;

/** A new member, active and without consent to be acted for, unless the fields say otherwise. */
export const newMember = (work: Work, fields: NewMember): StoredMember =>
  newResource(work, {
    position: null,
    phone: null,
    status: 'active' as const,
    last_active_at: null,
    acting_consented_at: null,
    locale: null,
    timezone: null,
    ...fields,
  });

/** The key by which a sign-in with an address finds the member, in any organization. */
export const emailKey = ({ org_id }: Caller, email: string) =>
  keys.emailMember(sha256(foldedAddress(email)), org_id);

/** Where the members with an email address stand, in all organizations. */
export const emailPartition = (email: string) => keys.emailMember.partition(sha256(foldedAddress(email)));

/** The rows of a new member. No two members of an organization have the same address, ignoring case. */
export const memberWrites = (caller: Caller, member: StoredMember): Write[] => {
  const { user_id, email } = member;
  return [
    write.create({ ...key(caller, user_id), ...member }),
    ...(email
      ? [
          reserve(caller, EMAIL, foldedAddress(email), user_id),
          systemWrite(write.put({ ...emailKey(caller, email), org_id: caller.org_id, user_id })),
        ]
      : []),
  ];
};

/** Deletes the rows of a member, if its version is the same. Everything that the member did keeps its user id. */
export const removalWrites = (
  caller: Caller,
  { user_id, email, identity, version }: StoredMember,
): Write[] => [
  write.remove(key(caller, user_id), version),
  write.drop(keys.one(caller, 'PREFERENCES', user_id)),
  ...moveReservation(caller, EMAIL, foldedAddress(email), null, user_id),
  systemWrite(write.drop(emailKey(caller, email))),
  ...(identity ? [systemWrite(write.drop(keys.membership(identity.person, caller.org_id)))] : []),
];

/** @throws ApiError 400 naming the request's field whose member may not act */
export const expectActive = (field: string, { status }: Pick<Candidate, 'status'>): void => {
  if (status !== 'active') throw errors.memberNotActive(field, status);
};

/**
 * Checks that a member in a request can do the duty that the request gives them. Every operation that takes
 * participants, approvers or assignees calls this.
 * @param field the request's field that names the member
 * @param isForKeys whether keys may decide on the inspections that the duty is for
 * @throws ApiError 400 naming the field
 */
export const expectAble = (field: string, member: Candidate, duty: Duty, isForKeys?: boolean): void => {
  expectActive(field, member);
  const obstacle = obstacleTo(duty, member, new Date().toISOString(), isForKeys);
  if (obstacle) throw errors.memberUnable(field, obstacle);
};
