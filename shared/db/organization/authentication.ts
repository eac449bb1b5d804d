import { randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandOutput } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { ApiError } from '../../base/api-error.ts';
import type { KeyCaller } from '../../base/caller.ts';
import { isClosedConnection } from '../../base/connection.ts';
import { environment } from '../../base/environment.ts';
import * as errors from '../../base/errors.ts';
import { currentRequest } from '../../base/request.ts';
import { systemClient } from '../table/client.ts';
import type { KeyRow } from '../table/entities.ts';
import { keys, sha256 } from '../table/keys.ts';
import { isTransient } from '../table/retry.ts';
import type { Row } from '../table/rows.ts';
import { longReplies } from './long-replies.ts';

/** Requests of one key in one clock minute (contract, "Limits"). */
export const MAX_REQUESTS_PER_MINUTE = 300;

/** The digits of base 62, in the order of their value. */
export const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_FORMAT = /^ak_([0-9A-Za-z]{8})_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** Attempts to count one request. Each is repeated only when another request started the minute. */
const MAX_ATTEMPTS = 5;

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

/** Whether a text has the form and the checksum of a key. The key need not exist. */
export const isWellFormedKey = (text: string): boolean =>
  KEY_FORMAT.test(text) && checksum(text.slice(0, -6)) === text.slice(-6);

const keyIsUsable =
  'attribute_not_exists(revoked_at) AND (attribute_not_exists(valid_until) OR valid_until > :now)';

/** The current minute, or a later one that an instance with a fast clock has started. */
const minuteIsOpen = '#minute >= :minute AND #count < :limit';
const minuteIsOver = '#minute < :minute';

/**
 * Authenticates a key, counts the request and sets the time of the key's last use, in one conditional write, which also
 * gives the key the secret of its cursors when it has none. Only the first request of a minute needs a second write. Nothing is cached: a revocation takes effect with the next call.
 * @param now epoch milliseconds
 * @throws ApiError 401, 429, or 503 when the table cannot be reached
 */
export const authenticateKey = async (key: string, now: number): Promise<KeyCaller> => {
  if (!isWellFormedKey(key)) throw errors.apiKeyUnknown();
  const hash = sha256(key);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const counted = await stamp(hash, now, minuteIsOpen, '#count = #count + :one');
    if (counted.passed) return callerOf(counted.row);
    const { row } = counted;
    if (!row || row.revoked_at || (row.valid_until ?? Infinity) <= now) throw noted(row, refusal(row));
    if (row.minute >= minuteOf(now)) {
      if (row.count >= MAX_REQUESTS_PER_MINUTE) throw noted(row, errors.rateLimitExceeded());
      continue;
    }
    const opened = await stamp(hash, now, minuteIsOver, '#minute = :minute, #count = :one');
    if (opened.passed) return callerOf(opened.row);
  }
  throw errors.unavailable('Authentication');
};

/** The error of a key that is refused, after the log has learned which key it is. */
const noted = (row: KeyRow | undefined, error: ApiError): ApiError => {
  const scope = currentRequest();
  if (scope && row) scope.refusedKey = { org_id: row.org_id, key_id: row.key_id };
  return error;
};

const minuteOf = (now: number): number => Math.floor(now / 60_000);

const refusal = (row: KeyRow | undefined) => {
  if (!row) return errors.apiKeyUnknown();
  return row.revoked_at ? errors.apiKeyRevoked() : errors.apiKeyExpired();
};

const callerOf = (row: KeyRow): KeyCaller => ({
  org_id: row.org_id,
  user_id: row.user_id,
  key_id: row.key_id,
  name: row.name,
  access: row.access,
  ...(row.act_for_members && { act_for_members: row.act_for_members }),
  ...(row.cursor_secret && { cursor_secret: row.cursor_secret }),
  ...(row.long_replies && { long_replies: longReplies(row, Date.now()) }),
});

type Stamped = { passed: true; row: KeyRow } | { passed: false; row: KeyRow | undefined };

/**
 * Sends a write, and sends it again if its connection turned out to be closed: it is the first call of a function that
 * was idle, and idle connections are closed. If the first one had an effect nevertheless, the request counts twice of
 * 300. After any other failure, such as a time-out, this is likely, so it is not sent again.
 */
const sendOnOpenConnection = async (command: UpdateCommand): Promise<UpdateCommandOutput> => {
  try {
    return await systemClient().send(command);
  } catch (error) {
    if (!isClosedConnection(error)) throw error;
    return systemClient().send(command);
  }
};

interface SdkFailure {
  name: string;
  Item?: Record<string, AttributeValue>;
  ThrottlingReasons?: { reason?: string }[];
}

/** Bytes of the secret that signs a key's cursors. */
const CURSOR_SECRET_BYTES = 24;

/** One conditional write. */
const stamp = async (hash: string, now: number, condition: string, counting: string): Promise<Stamped> => {
  const isOpening = condition === minuteIsOver;
  const command = new UpdateCommand({
    TableName: environment('TABLE_NAME'),
    Key: keys.apiKey(hash),
    UpdateExpression: `SET ${counting}, last_used_at = :at, cursor_secret = if_not_exists(cursor_secret, :secret)`,
    ConditionExpression: `attribute_exists(pk) AND ${keyIsUsable} AND ${condition}`,
    ExpressionAttributeNames: { '#minute': 'minute', '#count': 'count' },
    ExpressionAttributeValues: {
      ':one': 1,
      ':minute': minuteOf(now),
      ':now': now,
      ':at': new Date(now).toISOString(),
      ':secret': randomBytes(CURSOR_SECRET_BYTES).toString('base64url'),
      ...(!isOpening && { ':limit': MAX_REQUESTS_PER_MINUTE }),
    },
    ReturnValues: 'ALL_NEW',
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
  });
  try {
    const { Attributes } = await sendOnOpenConnection(command);
    // The SDK has no types for rows; this one is at the key of the update.
    return { passed: true, row: Attributes as Row<KeyRow> };
  } catch (error) {
    const failure = error as SdkFailure;
    if (failure.name === 'ConditionalCheckFailedException') {
      // `unmarshall` has no types either; the row is the same one.
      return { passed: false, row: failure.Item && (unmarshall(failure.Item) as Row<KeyRow>) };
    }
    // A key that overloads its own partition exceeds any rate limit. Other throttling concerns the table.
    if (failure.ThrottlingReasons?.some(({ reason }) => reason?.endsWith('KeyRangeThroughputExceeded'))) {
      throw errors.rateLimitExceeded();
    }
    if (isTransient(error)) throw errors.unavailable('Authentication', error);
    throw error;
  }
};
