import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { v7 as uuidv7 } from 'uuid';
import type { Caller, KeyCaller } from '../domain/caller.ts';
import { environment } from '../environment.ts';
import { notFound, tooManyRequests, unauthorized, unavailable } from '../http/errors.ts';
import { audit } from './audit.ts';
import { change } from './change.ts';
import { systemClient } from './client.ts';
import { keys, sha256 } from './keys.ts';
import { memberWrites } from './members.ts';
import { isTransient } from './retry.ts';
import { getRow, getSystemRows, queryRows, withoutKeys } from './rows.ts';
import { create, systemWrite, update } from './writes.ts';

/** Requests per key and clock minute (contract, "Limits"). */
export const REQUESTS_PER_MINUTE = 300;

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^ak_([0-9A-Za-z]{8})_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

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

const checksum = (text: string): string => {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < 6) {
    digits = ALPHABET[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
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

/** Whether a text has the form of a key and its checksum; says nothing about its being known. */
export const isWellFormedKey = (text: string): boolean =>
  FORM.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);

/** The row by which a key authenticates. The key itself is nowhere; its hash is the partition. */
export interface KeyRow {
  org_id: string;
  key_id: string;
  user_id: string;
  name: string;
  access: KeyCaller['access'];
  /** Clock minute that `count` belongs to. */
  minute: number;
  count: number;
  last_used_at?: string;
  revoked_at?: string;
  /** Epoch milliseconds. */
  valid_until?: number;
}

const keyIsUsable =
  'attribute_not_exists(revoked_at) AND (attribute_not_exists(valid_until) OR valid_until > :now)';

/** The same minute, or a later one that an instance whose clock is ahead has begun. */
const minuteIsOpen = '#minute >= :minute AND #count < :limit';
const minuteIsOver = '#minute < :minute';

const UNKNOWN = 'missing, malformed or unknown API key';

/**
 * Authenticates a key, counts the request and stamps the key's last use, in one conditional write; only the
 * first request of a new minute takes a second one. Nothing is cached: a revocation holds from the next call.
 * @param now epoch milliseconds
 * @throws ApiError 401, 429, or 503 when the table is out of reach
 */
export const authenticateKey = async (key: string, now: number): Promise<KeyCaller> => {
  if (!isWellFormedKey(key)) throw unauthorized(UNKNOWN);
  const hash = sha256(key);
  // Each turn either passes, throws, or follows another request's opening of the minute.
  for (let turn = 0; turn < 5; turn += 1) {
    const counted = await stamp(hash, now, minuteIsOpen, 'SET #count = #count + :one, last_used_at = :at');
    if (counted.passed) return callerOf(counted.row);
    const standing = counted.row;
    if (!standing || standing.revoked_at || (standing.valid_until ?? Infinity) <= now)
      throw refusal(standing);
    if (standing.minute >= minuteOf(now)) {
      if (standing.count >= REQUESTS_PER_MINUTE) throw tooManyRequests();
      continue;
    }
    const opened = await stamp(
      hash,
      now,
      minuteIsOver,
      'SET #minute = :minute, #count = :one, last_used_at = :at',
    );
    if (opened.passed) return callerOf(opened.row);
  }
  throw unavailable('authentication');
};

const minuteOf = (now: number): number => Math.floor(now / 60_000);

const refusal = (row: KeyRow | undefined) => {
  if (!row) return unauthorized(UNKNOWN);
  return unauthorized(row.revoked_at ? 'API key revoked' : 'API key expired');
};

const callerOf = (row: KeyRow): KeyCaller => ({
  org_id: row.org_id,
  user_id: row.user_id,
  key_id: row.key_id,
  name: row.name,
  access: row.access,
});

type Stamped = { passed: true; row: KeyRow } | { passed: false; row: KeyRow | undefined };

interface SdkFailure {
  name: string;
  Item?: Record<string, AttributeValue>;
  ThrottlingReasons?: { reason?: string }[];
}

/** One attempt, sent once: a repeated one would count twice. */
const stamp = async (hash: string, now: number, condition: string, expression: string): Promise<Stamped> => {
  const isOpening = condition === minuteIsOver;
  try {
    const { Attributes } = await systemClient().send(
      new UpdateCommand({
        TableName: environment('TABLE_NAME'),
        Key: keys.apiKey(hash),
        UpdateExpression: expression,
        ConditionExpression: `attribute_exists(pk) AND ${keyIsUsable} AND ${condition}`,
        ExpressionAttributeNames: { '#minute': 'minute', '#count': 'count' },
        ExpressionAttributeValues: {
          ':one': 1,
          ':minute': minuteOf(now),
          ':now': now,
          ':at': new Date(now).toISOString(),
          ...(!isOpening && { ':limit': REQUESTS_PER_MINUTE }),
        },
        ReturnValues: 'ALL_NEW',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { passed: true, row: Attributes as unknown as KeyRow };
  } catch (error) {
    const failure = error as SdkFailure;
    if (failure.name === 'ConditionalCheckFailedException') {
      return { passed: false, row: failure.Item && (unmarshall(failure.Item) as KeyRow) };
    }
    // A key that alone overloads its partition is over any limit; other throttling is the table's.
    if (failure.ThrottlingReasons?.some(({ reason }) => reason?.endsWith('KeyRangeThroughputExceeded'))) {
      throw tooManyRequests();
    }
    if (isTransient(error)) throw unavailable('authentication', error);
    throw error;
  }
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

export const apiKeys = {
  /** A new key with a service identity of its own among the members. The key is in the reply and nowhere else. */
  create: (
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
        systemWrite(create({ ...keys.apiKey(hash), ...row })),
        create({ ...keys.one(org, 'KEY', id), ...entry }),
        ...memberWrites(org, { user_id: userId, name, email: '', role: 'api' }),
        audit(org, 'key.created', id),
      ],
      reply: { id, key, prefix, user_id: userId },
    }));
  },

  /** Every key, with when it was last used. */
  list: async (org: Caller): Promise<ListedKey[]> => {
    const entries = await Array.fromAsync(queryRows<KeyEntry>(org, { partition: keys.all(org, 'KEY') }));
    const rows = await getSystemRows<KeyRow>(entries.map(({ hash }) => keys.apiKey(hash)));
    return entries.map((entry, position) => listed(withoutKeys<KeyEntry>(entry), rows[position], Date.now()));
  },

  /** Ends a key at once; a second time changes nothing. @throws ApiError 404 */
  revoke: async (org: Caller, id: string): Promise<void> => {
    const entry = await getRow<KeyEntry>(org, keys.one(org, 'KEY', id));
    if (!entry) throw notFound('API key');
    const [row] = await getSystemRows<KeyRow>([keys.apiKey(entry.hash)]);
    if (row?.revoked_at) return;
    await change(org, () => ({
      writes: [
        systemWrite(update(keys.apiKey(entry.hash), { set: { revoked_at: new Date().toISOString() } })),
        audit(org, 'key.revoked', id),
      ],
      reply: undefined,
    }));
  },
};
