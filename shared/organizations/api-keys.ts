import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Caller, isPerson } from '../base/caller.ts';
import { sha256 } from '../base/encoding.ts';
import * as errors from '../base/errors.ts';
import { merge, pick } from '../base/fields.ts';
import type { Problem } from '../base/problem.ts';
import { timeAfter } from '../base/time.ts';
import { settingChanges } from '../domain/settings.ts';
import {
  ApiKey,
  type ApiKeyChanges,
  EXPIRIES,
  type Expiry,
  type KeyRotation,
  type KeysOfMember,
  type NewApiKey,
} from '../schemas/api-key.ts';
import { present } from '../schemas/projection.ts';
import { audit } from '../table/audit.ts';
import { change, NOTHING, type Work } from '../table/change.ts';
import { both, type Condition, exists, hasValues } from '../table/conditions.ts';
import type { KeyEntry, KeyRow, StoredMember, StoredOrganization } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { getRow, getRows, getSystemRows, queryRows, withoutKeys } from '../table/rows.ts';
import { tryWrite, writeRow } from '../table/single-write.ts';
import * as write from '../table/writes.ts';
import { systemWrite, type Write } from '../table/writes.ts';
import { ALPHABET, checksum, CURSOR_SECRET_BYTES } from './authentication.ts';
import { accessMails } from './members/access-mails.ts';
import * as members from './members/members.ts';
import { memberWrites, newMember } from './members/members.ts';
import * as organizations from './organizations.ts';

/**
 * Random characters with equal probability. Bytes from 248 on are skipped, because they would favour some of the 62.
 */
const randomText = (length: number): string => {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248 && text.length < length) text += ALPHABET[byte % 62];
    }
  }
  return text;
};

/**
 * A new key: `ak_`, a public prefix of 8 characters, `_`, 30 random ones (178 bits) and a CRC32 of all that in
 * base 62, so that a mistyped key is refused without a call of the table.
 */
export const newApiKey = (): { key: string; prefix: string } => {
  const prefix = `ak_${randomText(8)}`;
  const body = `${prefix}_${randomText(30)}`;
  return { key: body + checksum(body), prefix };
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Milliseconds that a key is valid from its creation or last rotation on; undefined without an end. */
const lifetimeOf = ({ created_at, rotated_at, expires_at }: KeyEntry): number | undefined =>
  expires_at === null ? undefined : Date.parse(expires_at) - Date.parse(rotated_at ?? created_at);

const isLonger = (lifetime: number | undefined, maxDays: number | null): boolean =>
  maxDays !== null && (lifetime ?? Infinity) > maxDays * DAY_MS;

/** The rows of a key, which change with each request: that of its secret, and that of the secret before it. */
interface Rows {
  current: KeyRow | undefined;
  previous: KeyRow | undefined;
}

const stateOf = (row: KeyRow | undefined, now: number): ApiKey['status'] => {
  if (!row || row.revoked_at) return 'revoked';
  return (row.valid_until ?? Infinity) <= now ? 'expired' : 'active';
};

const toApiKey = (
  entry: KeyEntry,
  { current, previous }: Rows,
  { now, maxDays }: { now: number; maxDays: number | null },
): ApiKey => {
  const { previous: before } = entry;
  const status = stateOf(current, now);
  const worksOn = before !== null && status === 'active' && Date.parse(before.until) > now;
  return present(ApiKey, entry, {
    act_for_members: entry.act_for_members ?? false,
    last_used_at: current?.last_used_at ?? null,
    last_used_from: current?.last_used_from ?? null,
    is_too_old: status === 'active' && isLonger(lifetimeOf(entry), maxDays),
    previous: worksOn
      ? { prefix: before.prefix, until: before.until, last_used_at: previous?.last_used_at ?? null }
      : null,
    status,
  });
};

/** The hashes of the secrets with which a key can be used: its own, and the one before a rotation. */
const hashesOf = ({ hash, previous }: KeyEntry): string[] => (previous ? [hash, previous.hash] : [hash]);

const presentAll = async (org: Caller, entries: readonly KeyEntry[]): Promise<ApiKey[]> => {
  const { max_key_days: maxDays } = await organizations.get(org);
  const hashes = entries.flatMap(hashesOf);
  const rows = await getSystemRows(hashes.map((hash) => keys.apiKey(hash)));
  const byHash = new Map(hashes.map((hash, position) => [hash, rows[position]]));
  const now = Date.now();
  return entries.map((entry) => {
    const [current, previous] = hashesOf(entry).map((hash) => byHash.get(hash));
    return toApiKey(entry, { current, previous }, { now, maxDays });
  });
};

const presentOne = async (org: Caller, entry: KeyEntry): Promise<ApiKey> =>
  (await presentAll(org, [entry]))[0]!;

/** @throws ApiError 422 with all problems */
const checkProblems = (...found: (string | false)[][]): void => {
  const problems = found.flatMap(([field, msg]): Problem[] =>
    field && msg ? [{ loc: ['body', field], type: 'value_error', msg: `Value error, ${msg}` }] : [],
  );
  if (problems.length > 0) throw errors.validationFailed(problems);
};

/** Why scopes are wrong for a key that may only read. */
const scopesProblem = ({ access, scopes }: Pick<KeyEntry, 'access' | 'scopes'>): [string | false, string] => [
  access === 'read_only' && Boolean(scopes?.some((scope) => scope.endsWith(':write'))) && 'scopes',
  'a key that may only read has no scope to write',
];

const expiryProblem = (expires: Expiry, maxDays: number | null): [string | false, string] => {
  const days = EXPIRIES[expires];
  const isTooLong = isLonger(days === null ? undefined : days * DAY_MS, maxDays);
  return [isTooLong && 'expires', `the organization allows a key for ${maxDays} days at most`];
};

/** The organization of the member is not suspended. */
const NOT_KEPT_OUT: Condition = {
  ConditionExpression: 'attribute_not_exists(#in_suspended) OR #in_suspended = :open',
  ExpressionAttributeNames: { '#in_suspended': 'in_suspended' },
  ExpressionAttributeValues: { ':open': false },
};

/**
 * Notes that a person makes or renews a key, so that it contradicts a simultaneous suspension or removal of this person,
 * whose keys are asked about, and a suspension of the organization.
 * @throws ApiError 401 for one who is no active member any more; 403 for a member of a suspended organization
 */
const makerWrite = (work: Work, maker: string): Write =>
  write.update(
    members.key(work, maker),
    { add: { version: 1 } },
    both(hasValues({ status: 'active' }), NOT_KEPT_OUT),
    (row) =>
      (row as Partial<StoredMember> | undefined)?.in_suspended
        ? errors.organizationSuspended()
        : errors.sessionRequired(),
  );

/** Mails to the admins about a new key that may act for members. A call for each megabyte of members. */
const actingKeyMails = async (work: Work, name: string): Promise<Write[]> => {
  const admins = (await members.adminsOf(work)).map((userId) => members.key(work, userId));
  return accessMails(work, { event: 'acting_key_made', member: name }, await getRows(work, admins));
};

/**
 * Creates a key, with a member of the role `api` as its identity. Only the reply contains the key itself.
 * @throws ApiError 422 for a key that may only read, and is to act for members or has a scope to write; and for one
 *   that is valid for longer than the organization allows
 */
export const create = async (
  org: Caller,
  {
    name,
    access,
    expires = 'never',
    act_for_members: actsForMembers = false,
    scopes = null,
    networks = null,
  }: NewApiKey,
): Promise<ApiKey & { key: string }> => {
  const { max_key_days: maxDays, ...organization } = await organizations.get(org);
  checkProblems(
    [
      actsForMembers && access === 'read_only' && 'act_for_members',
      'a key that may only read cannot act for members',
    ],
    scopesProblem({ access, scopes }),
    expiryProblem(expires, maxDays),
  );
  const right = actsForMembers ? { act_for_members: true as const } : {};
  const cursorSecret = await cursorSecretOf(org);
  const { key, prefix } = newApiKey();
  const hash = sha256(key);
  const id = uuidv7();
  const userId = uuidv7();
  const days = EXPIRIES[expires];
  const maker = isPerson(org) ? org.user_id : null;
  return change(org, async (work) => {
    const { now } = work;
    const expiresAt = days === null ? null : timeAfter(now, days * DAY_MS);
    const entry: KeyEntry = {
      id,
      hash,
      name,
      prefix,
      access,
      ...right,
      user_id: userId,
      created_at: now,
      created_by: maker,
      created_by_name: maker && org.name,
      expires_at: expiresAt,
      scopes,
      networks,
      rotated_at: null,
      previous: null,
    };
    const row = rowOf(org, entry, organization, cursorSecret);
    const identity = newMember(work, {
      user_id: userId,
      name,
      email: '',
      role: 'api',
      key: { access, expires_at: expiresAt, revoked_at: null },
    });
    const changes = actsForMembers ? { act_for_members: { from: false, to: true } } : undefined;
    return {
      writes: [
        systemWrite(write.create({ ...keys.apiKey(hash), ...row })),
        write.create({ ...keys.one(work, 'KEY', id), ...entry }),
        ...memberWrites(work, identity),
        ...(maker ? [makerWrite(work, maker)] : []),
        ...(actsForMembers ? await actingKeyMails(work, name) : []),
        audit(work, 'key.created', id, changes),
      ],
      reply: {
        ...toApiKey(entry, { current: row, previous: undefined }, { now: Date.parse(now), maxDays }),
        key,
      },
    };
  });
};

/** What a key has from its organization, so that a request is counted without reading that. */
const REQUEST_LIMITS = ['max_requests_per_minute', 'max_requests_of_all_keys'] as const;

/** The secret by which the keys of an organization sign their cursors: a list that one begins, another continues. */
const newCursorSecret = (): string => randomBytes(CURSOR_SECRET_BYTES).toString('base64url');

/** Rows that DynamoDB reads in one call. */
const KEYS_AT_ONCE = 100;

/** The one that the older keys of the organization have, or a new one. Two calls. */
const cursorSecretOf = async (org: Caller): Promise<string> => {
  const hashes: string[] = [];
  for await (const { hash } of queryRows(org, { partition: keys.all(org, 'KEY') })) {
    hashes.push(hash);
    if (hashes.length === KEYS_AT_ONCE) break;
  }
  const rows = await getSystemRows(hashes.map((hash) => keys.apiKey(hash)));
  return rows.find((row) => row !== undefined)?.cursor_secret ?? newCursorSecret();
};

/** The row by which requests with a key authenticate that nobody has used yet. */
const rowOf = (
  { org_id }: Caller,
  { id, user_id, name, access, act_for_members, created_by, scopes, networks, expires_at }: KeyEntry,
  organization: organizations.RequestLimits & Pick<StoredOrganization, 'suspended'>,
  cursorSecret: string,
): KeyRow => ({
  org_id,
  key_id: id,
  user_id,
  name,
  access,
  ...(act_for_members && { act_for_members }),
  ...(created_by !== null && { created_by }),
  scopes,
  networks,
  minute: 0,
  count: 0,
  cursor_secret: cursorSecret,
  ...pick(organization, REQUEST_LIMITS),
  ...(organization.suspended && { is_suspended: true }),
  ...(expires_at !== null && { valid_until: Date.parse(expires_at) }),
});

/** A key that was given another secret. */
export interface RenewedKey {
  id: string;
  name: string;
  key: string;
}

/**
 * Gives each key of an organization a secret, after an import that has brought none. A key that was revoked or has
 * expired gets no row to authenticate by, and stays what it was.
 * @returns the keys that work, with their secrets
 */
export const renewSecrets = async (org: Caller): Promise<RenewedKey[]> => {
  const organization = await organizations.get(org);
  const cursorSecret = newCursorSecret();
  const renewed: RenewedKey[] = [];
  for await (const row of queryRows(org, { partition: keys.all(org, 'KEY') })) {
    const member = await members.find(org, row.user_id);
    const isLive = member?.key?.revoked_at === null && Date.parse(row.expires_at ?? '9999') > Date.now();
    const { key, prefix } = newApiKey();
    const entry = { ...row, hash: sha256(key), previous: null, ...(isLive && { prefix }) };
    await writeRow(org, write.put(entry));
    if (!isLive) continue;
    const keyRow = rowOf(org, entry, organization, cursorSecret);
    await writeRow('system', write.put({ ...keys.apiKey(entry.hash), ...keyRow }));
    renewed.push({ id: row.id, name: row.name, key });
  }
  return renewed;
};

/**
 * Notes in all keys of an organization what a request must know of it, so that none reads the organization. A call for
 * each secret.
 */
export const noteInKeys = async (
  org: Caller,
  set: organizations.RequestLimits & Pick<KeyRow, 'is_suspended'>,
): Promise<void> => {
  for await (const entry of queryRows(org, { partition: keys.all(org, 'KEY') })) {
    for (const hash of hashesOf(entry)) {
      await tryWrite('system', write.update(keys.apiKey(hash), { set }, exists));
    }
  }
};

/**
 * Sets how many requests the keys of an organization may make, now and later. Two calls for each key.
 * @param limits one that is left out stays as it is
 */
export const setRequestLimits = async (org: Caller, limits: organizations.RequestLimits): Promise<void> => {
  if (Object.keys(limits).length === 0) return;
  await organizations.setRequestLimits(org, limits);
  await noteInKeys(org, limits);
};

/** All keys, with the time when each was last used. */
export const list = async (org: Caller): Promise<ApiKey[]> =>
  presentAll(org, await Array.fromAsync(queryRows(org, { partition: keys.all(org, 'KEY') })));

/** The writes that end a key at once. The secret before it leads to the same row. */
const revocationWrites = (work: Work, { id, hash, user_id, access, expires_at }: KeyEntry): Write[] => [
  systemWrite(write.update(keys.apiKey(hash), { set: { revoked_at: work.now } }, exists)),
  write.check(keys.one(work, 'KEY', id), undefined, hasValues({ hash })),
  members.keyWrite(work, user_id, { access, expires_at, revoked_at: work.now }),
  audit(work, 'key.revoked', id),
];

/** How many keys can end in one transaction. */
const MOST_AT_ONCE = 20;

/**
 * The writes that end the active keys of a person, whose suspension or removal they are part of. They hold only if the
 * person's member is changed as well: whoever makes a key changes its maker's version.
 * @param choice undefined when nobody has said what becomes of the keys
 * @throws ApiError 409 naming the keys, or saying how many they are
 */
export const writesOfLeaver = async (
  work: Work,
  userId: string,
  choice: KeysOfMember['keys'],
): Promise<Write[]> => {
  if (choice === 'keep') return [];
  const entries = await Array.fromAsync(
    queryRows(work, { partition: keys.all(work, 'KEY'), where: { created_by: [userId] } }),
  );
  const rows = await getSystemRows(entries.map(({ hash }) => keys.apiKey(hash)));
  const active = entries.filter((_, position) => stateOf(rows[position], Date.parse(work.now)) === 'active');
  if (active.length === 0) return [];
  if (!choice) throw errors.memberMadeKeys(active.map(({ name }) => name));
  if (active.length > MOST_AT_ONCE) throw errors.memberMadeManyKeys(active.length, MOST_AT_ONCE);
  return active.flatMap((entry) => revocationWrites(work, entry));
};

/** @throws ApiError 404; 409 for a key that has ended */
const openKey = async (org: Caller, id: string): Promise<{ entry: KeyEntry; row: KeyRow }> => {
  const entry = await getRow(org, keys.one(org, 'KEY', id));
  if (!entry) throw errors.notFound('API key');
  const [row] = await getSystemRows([keys.apiKey(entry.hash)]);
  const state = stateOf(row, Date.now());
  if (!row || state !== 'active') throw errors.keyEnded(state);
  return { entry: withoutKeys(entry), row: withoutKeys(row) };
};

/**
 * Changes what limits a key, with immediate effect.
 * @throws ApiError 404; 409 for a key that has ended; 422 for a scope to write of a key that may only read
 */
export const update = (org: Caller, id: string, changes: ApiKeyChanges): Promise<ApiKey> =>
  change(org, async (work) => {
    const { entry } = await openKey(work, id);
    const next = merge(entry, changes);
    checkProblems(scopesProblem(next));
    const changed = settingChanges(entry, next);
    const reply = await presentOne(work, next);
    if (Object.keys(changed).length === 0) return { writes: [], reply };
    const set = { scopes: next.scopes, networks: next.networks };
    return {
      writes: [
        systemWrite(write.update(keys.apiKey(entry.hash), { set }, exists)),
        write.update(keys.one(work, 'KEY', id), { set }, hasValues({ hash: entry.hash })),
        audit(work, 'key.updated', id, changed),
      ],
      reply,
    };
  });

/**
 * Gives a key another secret, which only the reply contains. The secret before it works on for the overlap, as the same
 * key; one that still works from an earlier rotation ends.
 * @throws ApiError 404; 409 for a key that has ended; 422 for longer than the organization allows
 */
export const rotate = async (
  org: Caller,
  id: string,
  { overlap_hours: overlap, expires }: KeyRotation,
): Promise<ApiKey & { key: string }> => {
  const { max_key_days: maxDays } = await organizations.get(org);
  if (expires) checkProblems(expiryProblem(expires, maxDays));
  const { key, prefix } = newApiKey();
  const hash = sha256(key);
  const rotator = isPerson(org) ? org.user_id : null;
  return change(org, async (work) => {
    const { entry, row } = await openKey(work, id);
    const { now } = work;
    const days = expires ? EXPIRIES[expires] : null;
    const usual = expires ? (days === null ? undefined : days * DAY_MS) : lifetimeOf(entry);
    const lifetime = isLonger(usual, maxDays) ? maxDays! * DAY_MS : usual;
    const expiresAt = lifetime === undefined ? null : timeAfter(now, lifetime);
    const end = Math.min(Date.parse(now) + overlap * HOUR_MS, row.valid_until ?? Infinity);
    const next: KeyEntry = {
      ...entry,
      hash,
      prefix,
      created_by: rotator,
      created_by_name: rotator && org.name,
      expires_at: expiresAt,
      rotated_at: now,
      previous: { hash: entry.hash, prefix: entry.prefix, until: new Date(end).toISOString() },
    };
    const { created_by: _, valid_until: __, last_used_at: ___, last_used_from: ____, ...kept } = row;
    const renewed: KeyRow = {
      ...kept,
      ...(rotator && { created_by: rotator }),
      ...(expiresAt && { valid_until: Date.parse(expiresAt) }),
    };
    const { access } = entry;
    return {
      writes: [
        systemWrite(write.create({ ...keys.apiKey(hash), ...renewed })),
        systemWrite(
          write.update(keys.apiKey(entry.hash), { set: { successor: hash, valid_until: end } }, exists),
        ),
        ...(entry.previous
          ? [
              systemWrite(
                write.update(keys.apiKey(entry.previous.hash), { set: { revoked_at: now } }, exists),
              ),
            ]
          : []),
        write.update(
          keys.one(work, 'KEY', id),
          {
            set: pick(next, [
              'hash',
              'prefix',
              'created_by',
              'created_by_name',
              'expires_at',
              'rotated_at',
              'previous',
            ]),
          },
          hasValues({ hash: entry.hash }),
        ),
        members.keyWrite(work, entry.user_id, { access, expires_at: expiresAt, revoked_at: null }),
        ...(rotator ? [makerWrite(work, rotator)] : []),
        audit(work, 'key.rotated', id),
      ],
      reply: {
        ...toApiKey(next, { current: renewed, previous: row }, { now: Date.parse(now), maxDays }),
        key,
      },
    };
  });
};

/** Revokes a key with immediate effect, with the secret before it. Revoking it again changes nothing. @throws ApiError 404 */
export const revoke = (org: Caller, id: string): Promise<void> =>
  change(org, async (work) => {
    const entry = await getRow(work, keys.one(work, 'KEY', id));
    if (!entry) throw errors.notFound('API key');
    const [row] = await getSystemRows([keys.apiKey(entry.hash)]);
    if (row?.revoked_at) return NOTHING;
    return { writes: revocationWrites(work, entry), reply: undefined };
  });
