import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { checkRights, settingChanges } from '../../domain/settings.ts';
import type { MailLimits } from '../../schemas/mail.ts';
import type { OrganizationChanges } from '../../schemas/organization.ts';
import { question } from '../addresses/addresses.ts';
import * as members from '../members/members.ts';
import { memberWrites, newMember } from '../members/members.ts';
import { audit } from '../table/audit.ts';
import { change } from '../table/change.ts';
import { editRow, expectVersion, newResource } from '../table/collection.ts';
import { hasValues } from '../table/conditions.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import type { Facts } from '../table/resource.ts';
import { getRow, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';

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
  max_submissions_per_hour: null,
  max_key_days: null,
  logo_key: null,
} satisfies Partial<StoredOrganization>;

const NOUN = 'organization';

/** An organization counts the bytes of its logo. A logo has a few megabytes at most, so it is never refused. */
export const organizationFacts: Facts<StoredOrganization> = { bytes: ({ logo_bytes = 0 }) => logo_bytes };

/** Makes a reply from an organization. */
type PresentOrganization<Reply> = (organization: StoredOrganization) => Promise<Reply>;

const edit = <Reply>(
  caller: Caller,
  decide: Parameters<typeof editRow<StoredOrganization, Reply>>[0]['decide'],
  present: PresentOrganization<Reply>,
): Promise<Reply> =>
  editRow({
    caller,
    noun: NOUN,
    key: keys.organization(caller),
    facts: organizationFacts,
    decide,
    present,
  });

/** What an owner must be. */
const ACTIVE_ADMIN = { role: 'admin', status: 'active' } as const;

/** Checks in the transaction of the change that the owner is an active admin. */
const ownerIsAdmin = (caller: Caller, userId: string) =>
  write.check(members.key(caller, userId), () => errors.ownerNotAdmin(), hasValues(ACTIVE_ADMIN));

/** The same check without a transaction. @throws ApiError 400 */
const expectAdmin = async (caller: Caller, userId: string): Promise<void> => {
  const { role, status } = (await members.find(caller, userId)) ?? {};
  if (role !== ACTIVE_ADMIN.role || status !== ACTIVE_ADMIN.status) throw errors.ownerNotAdmin();
};

/** Creates an organization with its first admin, who is its owner. */
export const create = (
  name: string,
  adminEmail: string,
): Promise<{ org_id: string; admin_user_id: string }> => {
  const caller: Caller = { org_id: uuidv7(), user_id: uuidv7(), name: adminEmail };
  return change(caller, (work) => {
    const admin = newMember(work, {
      user_id: caller.user_id,
      name: adminEmail,
      email: adminEmail,
      role: 'admin',
    });
    const organization: StoredOrganization = {
      ...newResource(work, { name, owner_user_id: caller.user_id, ...DEFAULTS }),
      id: caller.org_id,
    };
    return {
      writes: [
        write.create({ ...keys.organization(caller), ...organization }),
        ...memberWrites(caller, admin),
        audit(work, 'organization.created', caller.org_id),
      ],
      reply: { org_id: caller.org_id, admin_user_id: caller.user_id },
    };
  });
};

export const get = async (caller: Caller): Promise<StoredOrganization> => {
  const row = await getRow(caller, keys.organization(caller));
  if (!row) throw errors.notFound(NOUN);
  return withoutKeys(row);
};

/**
 * @param present makes the reply from the changed organization
 * @throws ApiError 403 for a key that changes a setting which grants rights; 400 for an owner who is not an active
 *   admin; 409 for another version
 */
export const update = <Reply>(
  caller: Caller,
  changes: OrganizationChanges,
  expectedVersion: number | undefined,
  present: PresentOrganization<Reply>,
): Promise<Reply> =>
  edit(
    caller,
    async (current, work) => {
      const next = merge(current, changes);
      const changed = settingChanges(current, next);
      checkRights(caller, changed);
      // An owner who does not exist is a 400, which comes before the 409 for another version.
      const isStale = expectedVersion !== undefined && expectedVersion !== current.version;
      if (isStale && changed['owner_user_id']) await expectAdmin(caller, next.owner_user_id);
      expectVersion(NOUN, current, expectedVersion);
      if (Object.keys(changed).length === 0) return { next };
      return {
        next,
        writes: [
          ...(changed['owner_user_id'] ? [ownerIsAdmin(caller, next.owner_user_id)] : []),
          ...(changed['reply_to_email'] && next.reply_to_email !== null
            ? [question(work, next.reply_to_email)]
            : []),
          audit(work, 'organization.updated', caller.org_id, changed),
        ],
      };
    },
    present,
  );

/**
 * Sets or removes the logo.
 * @returns the key of the former logo's object as well.
 * @throws ApiError 409 for another version
 */
export const setLogo = async <Reply>(
  caller: Caller,
  logo: { key: string; bytes: number } | null,
  expectedVersion: number | undefined,
  present: PresentOrganization<Reply>,
): Promise<{ former: string | null; reply: Reply }> => {
  let former: string | null = null;
  const reply = await edit(
    caller,
    (current, work) => {
      expectVersion(NOUN, current, expectedVersion);
      former = current.logo_key;
      const { logo_key } = current;
      const [key, bytes] = logo ? [logo.key, logo.bytes] : [null, 0];
      if (key === logo_key) return { next: current };
      const changed = { logo_key: { from: logo_key, to: key } };
      return {
        next: { ...current, logo_key: key, logo_bytes: bytes },
        writes: [audit(work, 'organization.updated', caller.org_id, changed)],
      };
    },
    present,
  );
  return { former, reply };
};

/**
 * Sets how many mails an organization may send in a day. Mails that wait keep their places; `placeAnew` gives them new ones.
 * @param limits a limit that is left out stays as it is
 */
export const setMailLimits = (caller: Caller, limits: Partial<MailLimits>): Promise<void> =>
  edit(
    caller,
    (current, work) => {
      const mail_limits = { ...current.mail_limits, ...limits };
      if (isDeepStrictEqual(mail_limits, current.mail_limits ?? {})) return { next: current };
      const changed = { mail_limits: { from: current.mail_limits ?? null, to: mail_limits } };
      return {
        next: { ...current, mail_limits },
        writes: [audit(work, 'organization.updated', caller.org_id, changed)],
      };
    },
    async () => undefined,
  );

/**
 * Sets how much an organization may store. Nothing is deleted when it stores more already.
 * @param bytes rounded to whole bytes
 */
export const setMaxStorage = (caller: Caller, bytes: number): Promise<void> =>
  change(caller, async (work) => {
    const key = keys.maxStoredBytes(caller);
    const { max_bytes } = (await getRow(caller, key)) ?? {};
    const next = Math.round(bytes);
    if (next === max_bytes) return { writes: [], reply: undefined };
    const changed = { max_storage_bytes: { from: max_bytes ?? null, to: next } };
    return {
      writes: [
        write.update(key, { set: { max_bytes: next } }, hasValues({ max_bytes })),
        audit(work, 'organization.updated', caller.org_id, changed),
      ],
      reply: undefined,
    };
  });
