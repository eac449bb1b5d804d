import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import { type Caller, isKey, isPerson } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { merge } from '../base/fields.ts';
import { checkRights, settingChanges } from '../domain/settings.ts';
import type { MailLimits, MailPause } from '../schemas/mail.ts';
import type { OrganizationChanges } from '../schemas/organization.ts';
import { audit } from '../table/audit.ts';
import { change, type Work } from '../table/change.ts';
import { editRow, expectVersion, newResource } from '../table/collection.ts';
import { hasValues } from '../table/conditions.ts';
import type { StoredOrganization } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import type { Facts } from '../table/resource.ts';
import { getRow, getRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { question } from './addresses/addresses.ts';
import { accessMails } from './members/access-mails.ts';
import * as members from './members/members.ts';
import { memberWrites, newMember } from './members/members.ts';

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
export type PresentOrganization<Reply> = (organization: StoredOrganization) => Promise<Reply>;

/** Edits the organization, as `editRow` does. */
export const edit = <Reply>(
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

/**
 * Checks in the transaction of the change that the owner is an active admin.
 * @param field the request's field that names them
 */
export const ownerIsAdmin = (caller: Caller, userId: string, field = 'owner_user_id') =>
  write.check(members.key(caller, userId), () => errors.ownerNotAdmin(field), hasValues(ACTIVE_ADMIN));

/**
 * What follows from another owner whom the operator has set: both are mailed.
 * @throws ApiError 403 for anybody else; 400 for an owner who is not an active admin
 */
const ownerWrites = async (work: Work, former: string, next: string): Promise<Write[]> => {
  if (isKey(work) || isPerson(work)) throw errors.ownerIsHandedOver();
  const [before, owner] = await getRows(work, [members.key(work, former), members.key(work, next)]);
  const mail = { event: 'owner_changed', member: owner?.name ?? '', former: before?.name ?? '' } as const;
  return [ownerIsAdmin(work, next), ...accessMails(work, mail, [before, owner])];
};

/**
 * Creates an organization with its first admin, who is its owner.
 * @param mayBeActedFor whether keys may act for the admin, who has told the operator so
 */
export const create = (
  name: string,
  adminEmail: string,
  mayBeActedFor = true,
): Promise<{ org_id: string; admin_user_id: string }> => {
  const caller: Caller = { org_id: uuidv7(), user_id: uuidv7(), name: adminEmail };
  return change(caller, (work) => {
    const admin = newMember(work, {
      user_id: caller.user_id,
      name: adminEmail,
      email: adminEmail,
      role: 'admin',
      acting_consented_at: mayBeActedFor ? work.now : null,
    });
    const organization: StoredOrganization = {
      ...newResource(work, { name, owner_user_id: caller.user_id, ...DEFAULTS }),
      id: caller.org_id,
    };
    return {
      writes: [
        write.create({ ...keys.organization(caller), ...organization }),
        ...memberWrites(caller, admin),
        // Nothing is older than its numbers.
        write.create({ ...keys.numbersState(caller), is_whole: true }),
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
 * @throws ApiError 403 for a key that changes a setting which grants rights, and for anybody but the operator who sets
 *   the owner; 400 for an owner who is not an active admin; 409 for another version
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
      const newOwner = changed['owner_user_id']
        ? await ownerWrites(work, current.owner_user_id, next.owner_user_id)
        : [];
      checkRights(caller, changed);
      expectVersion(NOUN, current, expectedVersion);
      if (Object.keys(changed).length === 0) return { next };
      return {
        next: newOwner.length > 0 ? { ...next, handover: null } : next,
        writes: [
          ...newOwner,
          ...(changed['reply_to_email'] && next.reply_to_email !== null
            ? [question(work, next.reply_to_email, { about: { kind: 'replies' } })]
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

/** How many requests the keys of an organization may make in a minute: each of them, and all together. */
export type RequestLimits = Partial<
  Pick<StoredOrganization, 'max_requests_per_minute' | 'max_requests_of_all_keys'>
>;

/** Sets how many requests the keys of an organization may make. @param limits one that is left out stays as it is */
export const setRequestLimits = (caller: Caller, limits: RequestLimits): Promise<void> =>
  edit(
    caller,
    (current, work) => {
      const next = { ...current, ...limits };
      const changed = settingChanges(current, next);
      if (Object.keys(changed).length === 0) return { next: current };
      return { next, writes: [audit(work, 'organization.updated', caller.org_id, changed)] };
    },
    async () => undefined,
  );

/**
 * Pauses the mails to people who are no members, or lets them be sent again.
 * @param paused null to let them be sent
 * @param also what is written with it
 * @returns whether that is a change
 */
export const setMailsPaused = async (
  caller: Caller,
  paused: MailPause['reason'] | null,
  also: (work: Work, organization: StoredOrganization) => Promise<Write[]> | Write[] = () => [],
): Promise<boolean> => {
  let isChanged = false;
  await edit(
    caller,
    async (current, work) => {
      const { mails_paused: former = null } = current;
      isChanged = Boolean(former) !== Boolean(paused);
      if (!isChanged) return { next: current };
      const mails_paused = paused && { reason: paused, since: work.now };
      const changed = { mails_paused: { from: former, to: mails_paused } };
      return {
        next: { ...current, mails_paused },
        writes: [audit(work, 'organization.updated', caller.org_id, changed), ...(await also(work, current))],
      };
    },
    async () => undefined,
  );
  return isChanged;
};

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
