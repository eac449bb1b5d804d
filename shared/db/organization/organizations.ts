import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { badRequest, notFound } from '../../base/errors.ts';
import { merge } from '../../base/merge.ts';
import type { Organization, OrganizationChanges } from '../../schemas/organization.ts';
import * as members from '../members/members.ts';
import { memberWrites } from '../members/members.ts';
import { audit } from '../table/audit.ts';
import { change } from '../table/change.ts';
import { type Edit, editRow, newResource } from '../table/collection.ts';
import { hasValues } from '../table/conditions.ts';
import { keys } from '../table/keys.ts';
import { getRow, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';

/** As stored: the logo is an object of the bucket, its URL is signed when it is read. */
export type StoredOrganization = Omit<Organization, 'logo_url'> & { logo_key: string | null };

const DEFAULTS = {
  reply_to_email: null,
  timezone: 'UTC',
  locale: 'en',
  region: null,
  date_format: 'yyyy-MM-dd',
  time_format: '24h',
  week_starts_on: 'monday',
  weekend_days: ['saturday', 'sunday'],
  client_layer_enabled: true,
  four_eyes_verification: null,
  logo_key: null,
} satisfies Partial<StoredOrganization>;

type Presented<Reply> = (organization: StoredOrganization) => Promise<Reply>;

const edit = <Reply>(
  caller: Caller,
  expectedVersion: number | undefined,
  decide: (current: StoredOrganization) => Edit<StoredOrganization>,
  present: Presented<Reply>,
): Promise<Reply> =>
  editRow({
    caller,
    noun: 'organization',
    key: keys.organization(caller),
    expectedVersion,
    decide,
    present,
  });

/** The owner must be an active admin when the change is made, not only when it was asked for. */
const ownerIsAdmin = (caller: Caller, userId: string) =>
  write.check(
    members.key(caller, userId),
    () => badRequest('owner_user_id is not an active admin of the organization'),
    hasValues({ role: 'admin', status: 'active' }),
  );

/** A new organization with its first admin, who owns it. */
export const create = (
  name: string,
  adminEmail: string,
): Promise<{ org_id: string; admin_user_id: string }> => {
  const caller: Caller = { org_id: uuidv7(), user_id: uuidv7(), name: adminEmail };
  return change(caller, () => {
    const organization: StoredOrganization = {
      ...newResource({ name, owner_user_id: caller.user_id, ...DEFAULTS }),
      id: caller.org_id,
    };
    return {
      writes: [
        write.create({ ...keys.organization(caller), ...organization }),
        ...memberWrites(caller, {
          user_id: caller.user_id,
          name: adminEmail,
          email: adminEmail,
          role: 'admin',
        }),
        audit(caller, 'organization.created', caller.org_id),
      ],
      reply: { org_id: caller.org_id, admin_user_id: caller.user_id },
    };
  });
};

export const get = async (caller: Caller): Promise<StoredOrganization> => {
  const row = await getRow<StoredOrganization>(caller, keys.organization(caller));
  if (!row) throw notFound('organization');
  return withoutKeys(row);
};

/**
 * @param present what the client is told of the outcome
 * @throws ApiError 400 for an owner who is no active admin; 409 for another version
 */
export const update = <Reply>(
  caller: Caller,
  changes: OrganizationChanges,
  expectedVersion: number | undefined,
  present: Presented<Reply>,
): Promise<Reply> =>
  edit(
    caller,
    expectedVersion,
    (current) => {
      const next = merge(current, changes);
      const isNewOwner = next.owner_user_id !== current.owner_user_id;
      return { next, writes: isNewOwner ? [ownerIsAdmin(caller, next.owner_user_id)] : [] };
    },
    present,
  );

/** Names the logo's object, or none; tells which it was before. */
export const setLogo = async <Reply>(
  caller: Caller,
  logoKey: string | null,
  present: Presented<Reply>,
): Promise<{ former: string | null; reply: Reply }> => {
  let former: string | null = null;
  const reply = await edit(
    caller,
    undefined,
    (current) => {
      former = current.logo_key;
      return { next: { ...current, logo_key: logoKey } };
    },
    present,
  );
  return { former, reply };
};
