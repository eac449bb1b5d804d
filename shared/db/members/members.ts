import type { Caller } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import { isAble, type MemberKey } from '../../domain/members.ts';
import { INSPECTING_ROLES, Member, type Role } from '../../schemas/member.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import type { Work } from '../table/change.ts';
import { collection, newResource } from '../table/collection.ts';
import { exists } from '../table/conditions.ts';
import type { StoredMember, UniqueValue } from '../table/entities.ts';
import { type Key, keys } from '../table/keys.ts';
import type { Listing, ListQuery } from '../table/listing.ts';
import { queryRows } from '../table/rows.ts';
import { moveReservation, reserve } from '../table/unique.ts';
import * as write from '../table/writes.ts';
import { type Write, systemWrite } from '../table/writes.ts';

const memberRecords = collection('MEMBER', 'member');

/** A member as clients see it. */
export const toMember = (stored: StoredMember): Presented<Member> =>
  present(Member, stored, { invitation_expires_at: stored.invitation?.expires_at ?? null });

type MemberQuery = ListQuery & { role?: Role[] | undefined; status?: Member['status'][] | undefined };

export const key = memberRecords.key;

const EMAIL = 'email';

/** Where the id of the member stands who has an email address, whatever its case. */
export const addressKey = (caller: Caller, address: string): Key<UniqueValue> =>
  keys.unique(caller, EMAIL, address.toLowerCase());

export const find = memberRecords.find;

/** A person or a key as a member of the organization. @throws ApiError 404 */
export const get = async (caller: Caller, userId: string): Promise<Member> =>
  toMember(await memberRecords.get(caller, userId));

/** In creation order. */
export const list = (caller: Caller, query: MemberQuery): Promise<Listing<Member>> =>
  memberRecords.list(caller, query, { where: { role: query.role, status: query.status } }, toMember);

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

/** Admins that are told of what concerns the whole organization. */
const MAX_ADMINS_TOLD = 25;

/** The ids of the organization's active admins, as many as are told of something. One call per megabyte of members. */
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

/** Says of a key's service identity that the key was revoked. */
export const revocationWrite = (work: Work, userId: string, key: MemberKey): Write =>
  write.update(
    memberRecords.key(work, userId),
    { set: { key, updated_at: work.now }, add: { version: 1 } },
    exists,
  );

type NewMember = Pick<StoredMember, 'user_id' | 'name' | 'email' | 'role'> &
  Partial<Pick<StoredMember, 'position' | 'phone' | 'status' | 'invitation' | 'identity' | 'key'>>;

/** A new member, active unless the fields say otherwise. */
export const newMember = (work: Work, fields: NewMember): StoredMember =>
  newResource(work, {
    position: null,
    phone: null,
    status: 'active' as const,
    last_active_at: null,
    locale: null,
    timezone: null,
    ...fields,
  });

/** By which the member is found who signs in with an address, in any organization. */
const emailKey = ({ org_id }: Caller, email: string) => keys.emailMember(sha256(email.toLowerCase()), org_id);

/** The rows of a new member. No two members of an organization have the same address, ignoring case. */
export const memberWrites = (caller: Caller, member: StoredMember): Write[] => {
  const { user_id, email } = member;
  return [
    write.create({ ...key(caller, user_id), ...member }),
    ...(email
      ? [
          reserve(caller, EMAIL, email.toLowerCase(), user_id),
          systemWrite(write.put({ ...emailKey(caller, email), org_id: caller.org_id, user_id })),
        ]
      : []),
  ];
};

/** Deletes the rows of a member, under the condition of its version. What the member did keeps its user id. */
export const removalWrites = (
  caller: Caller,
  { user_id, email, identity, version }: StoredMember,
): Write[] => [
  write.remove(key(caller, user_id), version),
  write.drop(keys.one(caller, 'PREFERENCES', user_id)),
  ...moveReservation(caller, EMAIL, email.toLowerCase(), null, user_id),
  systemWrite(write.drop(emailKey(caller, email))),
  ...(identity ? [systemWrite(write.drop(keys.membership(identity.person, caller.org_id)))] : []),
];
