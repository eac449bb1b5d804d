import type { Caller } from '../domain/caller.ts';
import type { Member } from '../schemas/member.ts';
import { collection, newResource, type Versioned } from './collection.ts';
import { reserve } from './unique.ts';
import { create, type Write } from './writes.ts';

export type StoredMember = Member & Versioned;

const KIND = 'MEMBER';

export const members = collection<StoredMember>(KIND, 'member');

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
  });
  return [
    create({ ...members.key(caller, user_id), ...member }),
    ...(fields.email ? [reserve(caller, 'email', fields.email.toLowerCase(), user_id)] : []),
  ];
};
