import { crc32 } from 'node:zlib';
import type { ApiError } from '../base/api-error.ts';
import type { KeyCaller } from '../base/caller.ts';
import { isClosedConnection } from '../base/connection.ts';
import { sha256 } from '../base/encoding.ts';
import * as errors from '../base/errors.ts';
import { isWithin, networkList } from '../base/networks.ts';
import { currentRequest } from '../base/request.ts';
import { isAllowed, isUsedUp, periodOf } from '../table/allowance.ts';
import { type Condition, exists } from '../table/conditions.ts';
import type { KeyRow } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { inMonth } from '../table/months.ts';
import { isTransient } from '../table/retry.ts';
import { type Sending, type Tried, tryWrite } from '../table/single-write.ts';
import * as write from '../table/writes.ts';
import { longReplies } from './long-replies.ts';

/**
 * Requests of one key in one clock minute (contract, "Limits"), unless the operator of the service has set more for its
 * organization.
 */
export const MAX_REQUESTS_PER_MINUTE = 300;

/**
 * Requests of one key in one clock minute that are refused for their network. They have a count of their own: whoever
 * calls from elsewhere, with a key that has leaked, leaves the key all of its requests.
 */
export const MAX_REFUSALS_PER_MINUTE = 60;

/** The digits of base 62, in the order of their value. */
export const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KEY_FORMAT = /^ak_([0-9A-Za-z]{8})_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/** Attempts to count one request. One is repeated when another request started the minute, and to judge a network. */
const MAX_ATTEMPTS = 6;

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

type Networks = KeyRow['networks'];

/**
 * The key exists, was not revoked, has not expired, has no successor, allows the networks by which the request was
 * judged, and is in the minute that the clause says. So nothing is counted of a request that is refused.
 * @param now epoch milliseconds
 */
const usableKey = (
  now: number,
  judged: Networks,
  clause: string,
  values?: Record<string, unknown>,
): Condition => ({
  ConditionExpression:
    'attribute_exists(pk) AND attribute_not_exists(revoked_at) AND attribute_not_exists(successor) AND ' +
    `networks = :networks AND (attribute_not_exists(valid_until) OR valid_until > :now) AND ${clause}`,
  ExpressionAttributeNames: { '#minute': 'minute', '#count': 'count' },
  ExpressionAttributeValues: { ':now': now, ':minute': minuteOf(now), ':networks': judged, ...values },
});

/** The current minute, or a later one that an instance with a fast clock has started, has room for one more. */
const minuteIsOpen = (now: number, judged: Networks): Condition =>
  usableKey(now, judged, '#minute >= :minute AND (#count < :limit OR #count < max_requests_per_minute)', {
    ':limit': MAX_REQUESTS_PER_MINUTE,
  });

const minuteIsOver = (now: number, judged: Networks): Condition =>
  usableKey(now, judged, '#minute < :minute');

/** Counts a request among all of the key, and among those of the month. @param more other counters of the row */
const counted = (now: number, more: Readonly<Record<string, number>> = {}) => {
  const { add, drop } = inMonth('requests', new Date(now).toISOString(), 1);
  return { add: { ...more, requests: 1, ...add }, drop };
};

/** When and from where a key is used. */
interface Use {
  /** Epoch milliseconds. */
  now: number;
  /** The network address of the client. */
  address: string;
}

/**
 * Refuses a request from a network that the key does not allow, and notes in the key from where it came. Two calls, and
 * none when this process knows that the key has had as many refusals as it may.
 * @returns 403, or 429 beyond those
 */
const networkRefusal = async (hash: string, row: KeyRow, use: Use): Promise<ApiError> => {
  const { period, until } = periodOf(use.now, MINUTE_MS);
  const allowance = { key: keys.keyRefusals(row.key_id, period), most: MAX_REFUSALS_PER_MINUTE, until };
  if (isUsedUp(allowance) || !(await isAllowed(allowance))) return errors.rateLimitExceeded();
  await stamp(hash, use, {}, exists);
  return errors.apiKeyNetwork();
};

/** Counts a request with the secret before a rotation as one of the key, and then notes its use. */
const countBySuccessor = async (hash: string, successor: string, use: Use): Promise<KeyRow> => {
  const row = await countRequest(successor, use);
  await stamp(hash, use, {}, exists);
  return row;
};

const isSame = (one: Networks, other: Networks): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Counts a request of the key whose secret has a hash.
 * @throws ApiError 401; 403 for a network that the key does not allow; 429; 503 when the table cannot be reached
 */
const countRequest = async (hash: string, use: Use): Promise<KeyRow> => {
  const { now, address } = use;
  let judged: Networks = null;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const { isWritten, row } = await stamp(hash, use, counted(now, { count: 1 }), minuteIsOpen(now, judged));
    if (isWritten) return row!;
    if (!row || row.revoked_at || (row.valid_until ?? Infinity) <= now) throw noted(row, refusal(row));
    if (row.successor) return countBySuccessor(hash, row.successor, use);
    if (!isSame(row.networks, judged)) {
      const isAllowedNetwork = row.networks === null || isWithin(networkList(row.networks), address);
      if (!isAllowedNetwork) throw noted(row, await networkRefusal(hash, row, use));
      judged = row.networks;
      continue;
    }
    if (row.minute >= minuteOf(now)) {
      const { max_requests_per_minute: most = MAX_REQUESTS_PER_MINUTE } = row;
      if (row.count >= most) throw noted(row, errors.rateLimitExceeded());
      continue;
    }
    const begin = { set: { minute: minuteOf(now), count: 1 }, ...counted(now) };
    const opened = await stamp(hash, use, begin, minuteIsOver(now, judged));
    if (opened.isWritten) return opened.row!;
  }
  throw errors.unavailable('Authentication');
};

/**
 * Counts a request among those of all keys of its organization, if that has a quota.
 * @throws ApiError 429
 */
const countForQuota = async (row: KeyRow, now: number): Promise<void> => {
  const { org_id, max_requests_of_all_keys: most } = row;
  if (most === undefined) return;
  const { period, until } = periodOf(now, MINUTE_MS);
  const allowance = { key: keys.keyRequests(org_id, period), most, until };
  if (isUsedUp(allowance) || !(await isAllowed(allowance))) throw noted(row, errors.rateLimitExceeded());
};

/**
 * Authenticates a key, counts the request, and notes when and from where it was used, in one conditional write, which
 * also gives the key the secret of its cursors when it has none. The first request of a minute needs a second write. So
 * does each request of a key that is limited to networks, and each one of an organization that has a quota; one with the
 * secret before a rotation, which counts and is judged as the key itself, needs two more. Nothing is cached: a
 * revocation takes effect with the next call. A request from a network that the key does not allow is refused before it
 * is counted.
 * @param now epoch milliseconds
 * @param address the network address of the client
 * @throws ApiError 401; 403 for a suspended organization, and for a network that the key does not allow; 429; 503 when
 *   the table cannot be reached
 */
export const authenticateKey = async (key: string, now: number, address: string): Promise<KeyCaller> => {
  if (!isWellFormedKey(key)) throw errors.apiKeyUnknown();
  const use = { now, address };
  const row = await countRequest(sha256(key), use);
  if (row.is_suspended) throw noted(row, errors.organizationSuspended());
  await countForQuota(row, now);
  return callerOf(row, now);
};

/** Notes a refused key for the log. @returns the error */
const noted = (row: KeyRow | undefined, error: ApiError): ApiError => {
  const scope = currentRequest();
  if (scope && row) scope.refusedKey = { org_id: row.org_id, key_id: row.key_id };
  return error;
};

const MINUTE_MS = 60_000;

const minuteOf = (now: number): number => Math.floor(now / MINUTE_MS);

const refusal = (row: KeyRow | undefined) => {
  if (!row) return errors.apiKeyUnknown();
  return row.revoked_at ? errors.apiKeyRevoked() : errors.apiKeyExpired();
};

const callerOf = (row: KeyRow, now: number): KeyCaller => ({
  org_id: row.org_id,
  user_id: row.user_id,
  key_id: row.key_id,
  name: row.name,
  access: row.access,
  ...(row.act_for_members && { act_for_members: row.act_for_members }),
  ...(row.scopes && { scopes: row.scopes }),
  ...(row.created_by && { key_maker: row.created_by }),
  cursor_secret: row.cursor_secret,
  ...(row.long_replies && { long_replies: longReplies(row, now) }),
  ...(row.requests !== undefined && { request_number: row.requests }),
});

/**
 * Sends a write, and sends it again if its connection turned out to be closed. It is often the first call after a
 * function was idle, and idle connections are closed. If the first write had an effect nevertheless, the request counts
 * twice of 300. After any other failure, such as a time-out, this is likely, so the write is not sent again.
 */
const sendOnOpenConnection: Sending = async (send) => {
  try {
    return await send();
  } catch (error) {
    if (!isClosedConnection(error)) throw error;
    return send();
  }
};

/** Bytes of the secret that signs a key's cursors. */
export const CURSOR_SECRET_BYTES = 24;

/** Notes when and from where the key was last used, with what counts the request, in one conditional write. */
const stamp = async (
  hash: string,
  { now, address }: Use,
  { set, add, drop }: Pick<write.Changes, 'set' | 'add' | 'drop'>,
  condition: Condition,
): Promise<Tried<KeyRow>> => {
  const changes = {
    set: { ...set, last_used_at: new Date(now).toISOString(), last_used_from: address },
    add,
    drop,
  };
  try {
    return await tryWrite(
      'system',
      write.update(keys.apiKey(hash), changes, condition),
      sendOnOpenConnection,
    );
  } catch (error) {
    // A key that overloads its own partition exceeds any rate limit. Other throttling concerns the table.
    const { ThrottlingReasons } = error as { ThrottlingReasons?: { reason?: string }[] };
    if (ThrottlingReasons?.some(({ reason }) => reason?.endsWith('KeyRangeThroughputExceeded'))) {
      throw errors.rateLimitExceeded();
    }
    if (isTransient(error)) throw errors.unavailable('Authentication', error);
    throw error;
  }
};
