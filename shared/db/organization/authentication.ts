import { crc32 } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { KeyCaller } from '../../base/caller.ts';
import { environment } from '../../base/environment.ts';
import { tooManyRequests, unauthorized, unavailable } from '../../base/errors.ts';
import { systemClient } from '../table/client.ts';
import { keys, sha256 } from '../table/keys.ts';
import { isTransient } from '../table/retry.ts';

/** Requests per key and clock minute (contract, "Limits"). */
export const REQUESTS_PER_MINUTE = 300;

/** In the order of their value as digits of base 62. */
export const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const FORM = /^ak_([0-9A-Za-z]{8})_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** A text's CRC32 in six digits of base 62. */
export const checksum = (text: string): string => {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < 6) {
    digits = ALPHABET[rest % 62]! + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
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
