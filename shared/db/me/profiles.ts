import type { KeyCaller } from '../../base/caller.ts';
import { notFound } from '../../base/errors.ts';
import { merge } from '../../base/merge.ts';
import type { Profile, ProfileChanges } from '../../schemas/profile.ts';
import * as members from '../members/members.ts';
import type { StoredMember } from '../members/members.ts';
import type { StoredOrganization } from '../organization/organizations.ts';
import { editRow } from '../table/collection.ts';
import { keys } from '../table/keys.ts';
import { getRow, getRows } from '../table/rows.ts';

const NOUN = 'profile';

/** A profile is put together from the member that the caller is, its key, and what the organization has set. */
const present = async (
  caller: KeyCaller,
  { user_id, name, email, locale, timezone, created_at, updated_at }: StoredMember,
): Promise<Profile> => {
  const [key, organization] = await getRows(caller, [
    keys.one(caller, 'KEY', caller.key_id),
    keys.organization(caller),
  ]);
  const { prefix, expires_at } = key as unknown as Pick<Profile['key'], 'prefix' | 'expires_at'>;
  const settings = organization as unknown as StoredOrganization;
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

/** The caller's own. */
export const get = async (caller: KeyCaller): Promise<Profile> => {
  const member = await getRow<StoredMember>(caller, members.key(caller, caller.user_id));
  if (!member) throw notFound(NOUN);
  return present(caller, member);
};

/** The name is the member's as well. */
export const update = (caller: KeyCaller, changes: ProfileChanges): Promise<Profile> =>
  editRow<StoredMember, Profile>({
    caller,
    noun: NOUN,
    key: members.key(caller, caller.user_id),
    decide: (current) => ({ next: merge(current, changes) }),
    present: (member) => present(caller, member),
  });
