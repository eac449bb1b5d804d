import type { KeyCaller, PersonCaller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/merge.ts';
import type { PersonProfile, Profile, ProfileChanges } from '../../schemas/profile.ts';
import * as members from '../members/members.ts';
import { editRow } from '../table/collection.ts';
import type { StoredMember } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { emit } from '../table/outbox/outbox.ts';
import { getRow, getRows } from '../table/rows.ts';

const NOUN = 'profile';

/** A profile is made of the caller's member and key, and the organization's settings. */
const present = async (
  caller: KeyCaller,
  { user_id, name, email, locale, timezone, created_at, updated_at }: StoredMember,
): Promise<Profile> => {
  const [key, organization] = await getRows(caller, [
    keys.one(caller, 'KEY', caller.key_id),
    keys.organization(caller),
  ]);
  // A request of a deleted key or organization is not authenticated.
  const { prefix, expires_at } = key!;
  const settings = organization!;
  return {
    id: user_id,
    kind: 'api_key',
    name,
    email,
    locale: locale ?? settings.locale,
    timezone: timezone ?? settings.timezone,
    organization_id: caller.org_id,
    key: { prefix, access: caller.access, expires_at },
    created_at,
    updated_at,
  };
};

/** A person's profile is made of the member and the organization's settings. */
const presentPerson = async (
  caller: PersonCaller,
  { user_id, name, email, locale, timezone, created_at, updated_at }: StoredMember,
): Promise<PersonProfile> => {
  const settings = await getRow(caller, keys.organization(caller));
  return {
    id: user_id,
    kind: 'person',
    name,
    email,
    role: caller.role,
    locale: locale ?? settings!.locale,
    timezone: timezone ?? settings!.timezone,
    own: { locale: locale ?? null, timezone: timezone ?? null },
    organization_id: caller.org_id,
    created_at,
    updated_at,
  };
};

/** The profile of a signed-in person. */
export const getPerson = async (caller: PersonCaller): Promise<PersonProfile> => {
  const member = await getRow(caller, members.key(caller, caller.user_id));
  if (!member) throw errors.notFound(NOUN);
  return presentPerson(caller, member);
};

/** Changes the profile of a signed-in person. The name is also the member's name. */
export const updatePerson = (caller: PersonCaller, changes: ProfileChanges): Promise<PersonProfile> =>
  editRow<StoredMember, PersonProfile>({
    caller,
    noun: NOUN,
    key: members.key(caller, caller.user_id),
    decide: (current) => ({ next: merge(current, changes) }),
    event: (member, work) => emit(work, 'member.updated', members.toMember(member)),
    present: (member) => presentPerson(caller, member),
  });

/** The caller's profile. */
export const get = async (caller: KeyCaller): Promise<Profile> => {
  const member = await getRow(caller, members.key(caller, caller.user_id));
  if (!member) throw errors.notFound(NOUN);
  return present(caller, member);
};

/** The name is also the member's name. */
export const update = (caller: KeyCaller, changes: ProfileChanges): Promise<Profile> =>
  editRow<StoredMember, Profile>({
    caller,
    noun: NOUN,
    key: members.key(caller, caller.user_id),
    decide: (current) => ({ next: merge(current, changes) }),
    event: (member, work) => emit(work, 'member.updated', members.toMember(member)),
    present: (member) => present(caller, member),
  });
