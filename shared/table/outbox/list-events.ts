import { type Caller, isKey } from '../../base/caller.ts';
import { seesEvent } from '../../domain/key-scopes.ts';
import { isNamed } from '../../domain/webhooks.ts';
import { EVENTS } from '../../schemas/event-data.ts';
import type { Event } from '../../schemas/event.ts';
import type { StoredEvent } from '../entities/machinery.ts';
import { keys } from '../keys.ts';
import { type Listing, listing, type ListQuery, readCursor, writeCursor } from '../listing.ts';
import { getRow, queryRows } from '../rows.ts';
import { eventDocument } from './outbox.ts';

/** How much the clocks of functions that record events may differ, in milliseconds. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * The number of the first event that was recorded at or after a time, or of an event a little before it. Events are
 * recorded in the order of their numbers, and the oldest ones are deleted first. One read for each halving.
 * @param from ISO 8601
 * @param last number of the sequence
 */
export const firstNumberFrom = async (caller: Caller, from: string, last: number): Promise<number> => {
  const time = new Date(Date.parse(from) - CLOCKS_DIFFER_MS).toISOString();
  let [low, high] = [1, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const event = await getRow(caller, keys.event(caller, middle));
    if (event && event.recorded_at >= time) high = middle;
    else low = middle + 1;
  }
  return low;
};

export interface EventQuery extends Omit<ListQuery, 'updated_since'> {
  /** A number of the sequence. */
  after?: number | undefined;
  /** ISO 8601: when the events were recorded. */
  since?: string | undefined;
  /** ISO 8601: until when they were recorded. */
  until?: string | undefined;
  types?: readonly string[] | undefined;
  resource_id?: string | undefined;
  /** The last event first. */
  newest_first?: boolean;
}

/** After which sort key a list begins that has no cursor; undefined for the end of the events. */
const startOf = async (
  caller: Caller,
  { after = 0, since, newest_first }: EventQuery,
): Promise<string | undefined> => {
  if (newest_first) return undefined;
  if (since === undefined) return keys.event(caller, after).sk;
  const { last = 0 } = (await getRow(caller, keys.eventSequence(caller))) ?? {};
  const first = await firstNumberFrom(caller, since, last);
  return keys.event(caller, Math.max(after, first - 1)).sk;
};

/** The id of the resource that an event is about. */
const resourceIdOf = ({ type, data }: Event): unknown =>
  (data as Record<string, unknown>)[EVENTS[type]?.idIn ?? 'id'];

const isWanted = (event: Event, { types, resource_id }: EventQuery): boolean =>
  (types === undefined || isNamed(types, event.type)) &&
  (resource_id === undefined || resourceIdOf(event) === resource_id);

/** Whether the caller sees the events of some areas alone: a key with scopes. */
const isLimited = (caller: Caller): boolean => isKey(caller) && caller.scopes !== null;

/** Events of a page when the client names no number. */
const USUAL_LIMIT = 200;

/** Events that one page looks at. A rare one is found after some pages, and none costs more than another. */
export const MAX_SEEN = 1_000;

/**
 * The events of an organization after a number of its sequence, in order or the newest first. With a filter they come
 * page by page: one page looks at a limited number of events, however few of them are wanted, and its cursor leads on
 * from there. A key with scopes finds those that it may read, as if it had asked for their types.
 */
export const listEvents = async (
  caller: Caller,
  { newest_first: newestFirst = false, ...rest }: EventQuery,
): Promise<Listing<Event>> => {
  const query: EventQuery = { ...rest, ...(newestFirst && { newest_first: true }) };
  const { limit = USUAL_LIMIT, types, resource_id } = query;
  const isFiltered = types !== undefined || resource_id !== undefined || isLimited(caller);
  const start = readCursor(caller, 'EVENT', query) ?? (await startOf(caller, query));
  const rows = queryRows(caller, {
    partition: keys.event.partition(caller),
    after: start,
    newestFirst,
    ...(isFiltered && { pageSize: MAX_SEEN + 1 }),
  });
  const inPeriod = recordedIn(rows, query);
  if (!isFiltered) return listing(caller, 'EVENT', query, inPeriod, (row) => row.sk, eventDocument);
  const page: Event[] = [];
  let [seen, last] = [0, ''];
  for await (const row of inPeriod) {
    if (page.length === limit || seen === MAX_SEEN)
      return { page, next: writeCursor(caller, 'EVENT', query, last) };
    seen += 1;
    last = row.sk;
    if (!seesEvent(caller, row.type)) continue;
    const event = eventDocument(row);
    if (isWanted(event, query)) page.push(event);
  }
  return { page };
};

/** The events of a period. What comes later than it, by any clock, is not read. */
const recordedIn = async function* <Row extends StoredEvent>(
  rows: AsyncIterable<Row>,
  { since = '', until }: EventQuery,
): AsyncGenerator<Row> {
  const end = until && new Date(Date.parse(until) + CLOCKS_DIFFER_MS).toISOString();
  for await (const row of rows) {
    if (end !== undefined && row.recorded_at > end) return;
    if (row.recorded_at >= since && (until === undefined || row.recorded_at <= until)) yield row;
  }
};
