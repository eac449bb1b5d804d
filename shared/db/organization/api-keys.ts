import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { type Caller, isPerson, type KeyCaller } from '../../base/caller.ts';
import { sha256 } from '../../base/encoding.ts';
import * as errors from '../../base/errors.ts';
import { timeAfter } from '../../base/time.ts';
import { ApiKey, EXPIRIES, type Expiry } from '../../schemas/api-key.ts';
import { present } from '../../schemas/projection.ts';
import { memberWrites, newMember, revocationWrite } from '../members/members.ts';
import { audit } from '../table/audit.ts';
import { change } from '../table/change.ts';
import type { KeyEntry, KeyRow } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { getRow, getSystemRows, queryRows } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { systemWrite } from '../table/writes.ts';
import { ALPHABET, checksum } from './authentication.ts';

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

const DAY_MS = 86_400_000;

const toApiKey = (entry: KeyEntry, row: KeyRow | undefined, now: number): ApiKey => {
  const isExpired = entry.expires_at !== null && Date.parse(entry.expires_at) <= now;
  return present(ApiKey, entry, {
    act_for_members: entry.act_for_members ?? false,
    last_used_at: row?.last_used_at ?? null,
    status: row?.revoked_at ? 'revoked' : isExpired ? 'expired' : 'active',
  });
};

/** @throws ApiError 422 for a key that may only read, and is to act for members */
const checkRight = (access: KeyCaller['access'], actsForMembers: boolean): void => {
  if (!actsForMembers || access === 'read_write') return;
  const msg = 'Value error, a key that may only read cannot act for members';
  throw errors.validationFailed([{ loc: ['body', 'act_for_members'], type: 'value_error', msg }]);
};

/**
 * Creates a key, with a member of the role `api` as its identity. Only the reply contains the key itself.
 * @throws ApiError 422 for a key that may only read, and is to act for members
 */
export const create = (
  org: Caller,
  {
    name,
    access,
    expires,
    act_for_members: actsForMembers = false,
  }: { name: string; access: KeyCaller['access']; expires: Expiry; act_for_members?: boolean },
): Promise<ApiKey & { key: string }> => {
  checkRight(access, actsForMembers);
  const right = actsForMembers ? { act_for_members: true as const } : {};
  const { key, prefix } = newApiKey();
  const hash = sha256(key);
  const id = uuidv7();
  const userId = uuidv7();
  const days = EXPIRIES[expires];
  const maker = isPerson(org) ? org.user_id : null;
  return change(org, (work) => {
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
      expires_at: expiresAt,
    };
    const row: KeyRow = {
      org_id: org.org_id,
      key_id: id,
      user_id: userId,
      name,
      access,
      ...right,
      ...(maker && { created_by: maker }),
      minute: 0,
      count: 0,
      ...(expiresAt && { valid_until: Date.parse(expiresAt) }),
    };
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
        audit(work, 'key.created', id, changes),
      ],
      reply: { ...toApiKey(entry, row, Date.parse(now)), key },
    };
  });
};

/** All keys, with the time when each was last used. */
export const list = async (org: Caller): Promise<ApiKey[]> => {
  const entries = await Array.fromAsync(queryRows(org, { partition: keys.all(org, 'KEY') }));
  const rows = await getSystemRows(entries.map(({ hash }) => keys.apiKey(hash)));
  const now = Date.now();
  return entries.map((entry, position) => toApiKey(entry, rows[position], now));
};

/** Revokes a key with immediate effect. Revoking it again changes nothing. @throws ApiError 404 */
export const revoke = async (org: Caller, id: string): Promise<void> => {
  const entry = await getRow(org, keys.one(org, 'KEY', id));
  if (!entry) throw errors.notFound('API key');
  const [row] = await getSystemRows([keys.apiKey(entry.hash)]);
  if (row?.revoked_at) return;
  const { user_id, access, expires_at } = entry;
  await change(org, (work) => ({
    writes: [
      systemWrite(write.update(keys.apiKey(entry.hash), { set: { revoked_at: work.now } })),
      revocationWrite(work, user_id, { access, expires_at, revoked_at: work.now }),
      audit(work, 'key.revoked', id),
    ],
    reply: undefined,
  }));
};
