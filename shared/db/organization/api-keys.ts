import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import type { Caller, KeyCaller } from '../../base/caller.ts';
import { notFound } from '../../base/errors.ts';
import { memberWrites } from '../members/members.ts';
import { audit } from '../table/audit.ts';
import { change } from '../table/change.ts';
import { keys, sha256 } from '../table/keys.ts';
import { getRow, getSystemRows, queryRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { systemWrite } from '../table/writes.ts';
import { ALPHABET, checksum, type KeyRow } from './authentication.ts';

/** Characters drawn evenly: bytes that would favour some of the 62 are thrown away. */
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
 * base 62, so that a mistyped key is refused without a look at the table.
 */
export const newApiKey = (): { key: string; prefix: string } => {
  const prefix = `ak_${randomText(8)}`;
  const body = `${prefix}_${randomText(30)}`;
  return { key: body + checksum(body), prefix };
};

/** A key as an organization sees it; the key itself was shown once. */
export interface ListedKey {
  id: string;
  name: string;
  prefix: string;
  access: KeyCaller['access'];
  user_id: string;
  created_at: string;
  last_used_at: string | null;
  expires_at: string | null;
  status: 'active' | 'expired' | 'revoked';
}

/** What the organization's list holds of a key; what requests stamp stands in the row by hash. */
interface KeyEntry {
  id: string;
  hash: string;
  name: string;
  prefix: string;
  access: KeyCaller['access'];
  user_id: string;
  created_at: string;
  expires_at: string | null;
}

export const EXPIRIES = { never: null, '30d': 30, '90d': 90, '365d': 365 } as const;
export type Expiry = keyof typeof EXPIRIES;

const DAY_MS = 86_400_000;

const listed = (entry: KeyEntry, row: KeyRow | undefined, now: number): ListedKey => {
  const { hash: _, ...shown } = entry;
  const isExpired = entry.expires_at !== null && Date.parse(entry.expires_at) <= now;
  return {
    ...shown,
    last_used_at: row?.last_used_at ?? null,
    status: row?.revoked_at ? 'revoked' : isExpired ? 'expired' : 'active',
  };
};

/** A new key with a service identity of its own among the members. The key is in the reply and nowhere else. */
export const create = (
  org: Caller,
  { name, access, expires }: { name: string; access: KeyCaller['access']; expires: Expiry },
): Promise<{ id: string; key: string; prefix: string; user_id: string }> => {
  const { key, prefix } = newApiKey();
  const hash = sha256(key);
  const id = uuidv7();
  const userId = uuidv7();
  const now = Date.now();
  const days = EXPIRIES[expires];
  const expiresAt = days === null ? null : new Date(now + days * DAY_MS).toISOString();
  const entry: KeyEntry = {
    id,
    hash,
    name,
    prefix,
    access,
    user_id: userId,
    created_at: new Date(now).toISOString(),
    expires_at: expiresAt,
  };
  const row: KeyRow = {
    org_id: org.org_id,
    key_id: id,
    user_id: userId,
    name,
    access,
    minute: 0,
    count: 0,
    ...(expiresAt && { valid_until: Date.parse(expiresAt) }),
  };
  return change(org, () => ({
    writes: [
      systemWrite(write.create({ ...keys.apiKey(hash), ...row })),
      write.create({ ...keys.one(org, 'KEY', id), ...entry }),
      ...memberWrites(org, { user_id: userId, name, email: '', role: 'api' }),
      audit(org, 'key.created', id),
    ],
    reply: { id, key, prefix, user_id: userId },
  }));
};

/** Every key, with when it was last used. */
export const list = async (org: Caller): Promise<ListedKey[]> => {
  const entries = await Array.fromAsync(queryRows<KeyEntry>(org, { partition: keys.all(org, 'KEY') }));
  const rows = await getSystemRows<KeyRow>(entries.map(({ hash }) => keys.apiKey(hash)));
  return entries.map((entry, position) => listed(withoutKeys<KeyEntry>(entry), rows[position], Date.now()));
};

/** Ends a key at once; a second time changes nothing. @throws ApiError 404 */
export const revoke = async (org: Caller, id: string): Promise<void> => {
  const entry = await getRow<KeyEntry>(org, keys.one(org, 'KEY', id));
  if (!entry) throw notFound('API key');
  const [row] = await getSystemRows<KeyRow>([keys.apiKey(entry.hash)]);
  if (row?.revoked_at) return;
  await change(org, () => ({
    writes: [
      systemWrite(write.update(keys.apiKey(entry.hash), { set: { revoked_at: new Date().toISOString() } })),
      audit(org, 'key.revoked', id),
    ],
    reply: undefined,
  }));
};
