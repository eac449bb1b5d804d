import type { Caller } from '../../base/caller.ts';
import { INSPECTING_ROLES, type Member, type Role } from '../../schemas/member.ts';
import type { ProfileChanges } from '../../schemas/profile.ts';
import { collection, newResource, type Versioned } from '../table/collection.ts';
import type { Listing, ListQuery } from '../table/listing.ts';
import { type Row, withoutKeys } from '../table/rows.ts';
import { reserve } from '../table/unique.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** As stored: what a member has chosen for itself is told in its profile only. */
export type StoredMember = Member & Versioned & Pick<ProfileChanges, 'locale' | 'timezone'>;

const KIND = 'MEMBER';

const stored = collection<StoredMember>(KIND, 'member');

const toMember = (row: Row<StoredMember>): Member => {
  const { version: _, locale: _locale, timezone: _timezone, ...member } = withoutKeys<StoredMember>(row);
  return member;
};

type MemberQuery = ListQuery & { role?: Role[] | undefined; status?: Member['status'][] | undefined };

export const key = stored.key;

export const find = stored.find;

/** The member that a person or a key is in this organization. @throws ApiError 404 */
export const get = async (caller: Caller, userId: string): Promise<Member> =>
  toMember(await stored.get(caller, userId));

/** In the order in which they came. */
export const list = (caller: Caller, query: MemberQuery): Promise<Listing<Member>> =>
  stored.list(caller, query, { where: { role: query.role, status: query.status } }, toMember);

/** Those to whom an inspection may be given. */
export const listAssignable = (caller: Caller, query: ListQuery): Promise<Listing<Member>> => {
  const bound = { ...query, is_assignable: true };
  return stored.list(caller, bound, { where: { role: INSPECTING_ROLES, status: ['active'] } }, toMember);
};

/** The rows of a new member; an address belongs to one member of an organization, whatever its case. */
export const memberWrites = (
  caller: Caller,
  { user_id, ...fields }: Pick<Member, 'user_id' | 'name' | 'email' | 'role'>,
): Write[] => {
  const member: StoredMember = newResource({
    user_id,
    ...fields,
    position: null,
    phone: null,
    status: 'active' as const,
    last_active_at: null,
    locale: null,
    timezone: null,
  });
  return [
    write.create({ ...key(caller, user_id), ...member }),
    ...(fields.email ? [reserve(caller, 'email', fields.email.toLowerCase(), user_id)] : []),
  ];
};
