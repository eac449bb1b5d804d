import type { Caller, KeyCaller } from '../base/caller.ts';
import { LoggedRequest, type RequestQuery } from '../schemas/logged-request.ts';
import { present } from '../schemas/projection.ts';
import type { StoredRequest } from '../table/entities/organization.ts';
import { keys } from '../table/keys.ts';
import { type Listing, pageOf, readCursor } from '../table/listing.ts';
import { queryRows } from '../table/rows.ts';
import { sendOnce, writeRow } from '../table/single-write.ts';
import * as write from '../table/writes.ts';

/*
 * The last requests of each key. Each is a row of its own, so one write of less than a kilobyte, and no two requests
 * meet: a row for a key's minute would be billed by all that it holds with each request, and a buffer in a function's
 * memory would keep back the last requests until somebody calls the same function again. The number that the key's
 * authentication gives a request anyway decides its slot, so that a key has a bounded number of rows without anybody
 * counting them. Requests that failed have slots of their own: many that succeed push none of them out.
 */

/** Rows of a key for requests that succeeded, and the same number for those that failed. */
export const SLOTS = 1_000;

/** Digits of the number of a key's requests in a position. */
const NUMBER_DIGITS = 12;

/** How long a request is shown, in milliseconds. */
const KEPT_MS = 24 * 3_600_000;

/** What is known of a request when its reply is made. */
export type EndedRequest = Omit<StoredRequest, 'key_id' | 'number' | 'ttl'>;

/** Notes a request of a key, in one call that is not repeated. It writes by the function's own role. */
export const note = async (key: KeyCaller, request: EndedRequest): Promise<void> => {
  const { key_id, request_number = 0 } = key;
  const outcome = request.status < 400 ? 'OK' : 'ERROR';
  const row: StoredRequest = {
    ...request,
    key_id,
    number: request_number,
    ttl: Math.ceil((Date.parse(request.at) + KEPT_MS) / 1_000),
  };
  await writeRow(
    'system',
    write.update(keys.loggedRequest(key, key_id, outcome, request_number % SLOTS), { set: { ...row } }),
    sendOnce,
  );
};

/** Where a request stands among all. Those of one key at the same time are in the order in which they were counted. */
const positionOf = ({ at, number, id }: StoredRequest): string =>
  `${at} ${String(number).padStart(NUMBER_DIGITS, '0')} ${id}`;

const newestFirst = (one: StoredRequest, other: StoredRequest): number =>
  positionOf(one) > positionOf(other) ? -1 : 1;

const isWanted =
  ({ id, status, operation }: RequestQuery, before: string | undefined) =>
  (request: StoredRequest): boolean =>
    (before === undefined || positionOf(request) < before) &&
    (id === undefined || request.id === id) &&
    (status === undefined || status.includes(`${Math.floor(request.status / 100)}xx` as '2xx')) &&
    (operation === undefined || operation.includes(request.operation));

/** The newest requests of a key that pass the filters. One call per megabyte; a key has about one of them. */
const newestOf = async (
  caller: Caller,
  keyId: string,
  query: RequestQuery,
  before: string | undefined,
): Promise<StoredRequest[]> => {
  const wanted = isWanted(query, before);
  const found: StoredRequest[] = [];
  for await (const row of queryRows(caller, { partition: keys.loggedRequest.partition(caller, keyId) }))
    if (wanted(row)) found.push(row);
  return found.toSorted(newestFirst).slice(0, query.limit + 1);
};

/** What cursors of the list name. */
const LIST = 'requests';

/** Keys whose requests are read at once. */
const KEYS_AT_ONCE = 10;

/** The newest requests of all keys that pass the filters: one more than a page, to know whether another one follows. */
const newest = async function* (caller: Caller, query: RequestQuery): AsyncGenerator<StoredRequest> {
  const before = readCursor(caller, LIST, query);
  const ids =
    query.key_id === undefined
      ? await Array.fromAsync(queryRows(caller, { partition: keys.all(caller, 'KEY') }), ({ id }) => id)
      : [query.key_id];
  let found: StoredRequest[] = [];
  for (let from = 0; from < ids.length; from += KEYS_AT_ONCE) {
    const some = ids.slice(from, from + KEYS_AT_ONCE);
    const theirs = await Promise.all(some.map((id) => newestOf(caller, id, query, before)));
    found = [...found, ...theirs.flat()].toSorted(newestFirst).slice(0, query.limit + 1);
  }
  yield* found;
};

const toEntry = (request: StoredRequest): LoggedRequest =>
  present(LoggedRequest, request, { duration_ms: Math.round(request.duration) });

/**
 * The requests of the last 24 hours that are still known, newest first. One call for the keys, and one for each key.
 * @throws ApiError 422 for a cursor of another list
 */
export const list = (caller: Caller, query: RequestQuery): Promise<Listing<LoggedRequest>> =>
  pageOf(caller, LIST, query, newest(caller, query), positionOf, toEntry);
