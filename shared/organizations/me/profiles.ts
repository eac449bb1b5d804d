import { type Caller, isPerson, type KeyCaller, type PersonCaller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { type Language, languageOf } from '../../base/i18n/languages.ts';
import { PersonProfile, Profile, type ProfileChanges } from '../../schemas/profile.ts';
import { present } from '../../schemas/projection.ts';
import { editRow } from '../../table/collection.ts';
import type { StoredMember } from '../../table/entities/organization.ts';
import { keys } from '../../table/keys.ts';
import { emit } from '../../table/outbox/outbox.ts';
import { getRow, getRows } from '../../table/rows.ts';
import * as members from '../members/members.ts';

const NOUN = 'profile';

/** A profile is made of the caller's member and key, and the organization's settings. */
const toProfile = async (caller: KeyCaller, member: StoredMember): Promise<Profile> => {
  const [key, organization] = await getRows(caller, [
    keys.one(caller, 'KEY', caller.key_id),
    keys.organization(caller),
  ]);
  // A request of a deleted key or organization is not authenticated.
  const { prefix, expires_at } = key!;
  const settings = organization!;
  return present(Profile, member, {
    id: member.user_id,
    kind: 'api_key',
    locale: member.locale ?? settings.locale,
    timezone: member.timezone ?? settings.timezone,
    organization_id: caller.org_id,
    key: { prefix, access: caller.access, expires_at },
  });
};

/** A person's profile is made of the member and the organization's settings. */
const toPersonProfile = async (caller: PersonCaller, member: StoredMember): Promise<PersonProfile> => {
  const settings = await getRow(caller, keys.organization(caller));
  const { locale = null, timezone = null } = member;
  return present(PersonProfile, member, {
    id: member.user_id,
    kind: 'person',
    role: caller.role,
    locale: locale ?? settings!.locale,
    timezone: timezone ?? settings!.timezone,
    own: { locale, timezone },
    organization_id: caller.org_id,
  });
};

/** The language that the caller reads: their own, else the organization's. */
export const language = async (caller: Caller): Promise<Language> => {
  const [member, organization] = await getRows(caller, [
    members.key(caller, caller.user_id),
    keys.organization(caller),
  ]);
  return languageOf(member?.locale ?? organization?.locale);
};

const ofCaller = <Own extends KeyCaller | PersonCaller>(caller: Own, member: StoredMember) =>
  (isPerson(caller) ? toPersonProfile(caller, member) : toProfile(caller, member)) as Promise<ProfileOf<Own>>;

/** The profile of a key or of a person. */
type ProfileOf<Own> = Own extends PersonCaller ? PersonProfile : Own extends KeyCaller ? Profile : never;

/** The caller's profile. */
export const get = async <Own extends KeyCaller | PersonCaller>(caller: Own): Promise<ProfileOf<Own>> => {
  const member = await getRow(caller, members.key(caller, caller.user_id));
  if (!member) throw errors.notFound(NOUN);
  return ofCaller(caller, member);
};

/** Changes the caller's profile. The name is also the member's name. */
export const update = <Own extends KeyCaller | PersonCaller>(
  caller: Own,
  changes: ProfileChanges,
): Promise<ProfileOf<Own>> =>
  editRow<StoredMember, ProfileOf<Own>>({
    caller,
    noun: NOUN,
    key: members.key(caller, caller.user_id),
    decide: (current) => ({ next: merge(current, changes) }),
    event: (member, work) => emit(work, 'member.updated', members.toMember(member)),
    present: (member) => ofCaller(caller, member),
  });
