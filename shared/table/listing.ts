import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type * as z from 'zod';
import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { type Presented, projectionOf } from '../schemas/projection.ts';
import type { ByPerson, Recorded } from './entities/common.ts';
import type { Range } from './keys.ts';
import { queryRows, type Row, type RowQuery } from './rows.ts';

export interface ListQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
  updated_since?: string | undefined;
}

/** The reply of a list operation: a page with the cursor of the next one, or all resources as they are read. */
export type Listing<Resource> =
  | { page: Resource[]; next?: string | undefined }
  | { rows: AsyncIterable<Resource> };

/** Signs the cursors of callers that are no API key, such as the operator's commands. */
const PROCESS_SECRET = randomBytes(24);

/**
 * Signs a cursor with the secret of its caller. The signature covers the position, the organization, the list and its
 * filters, but not the page's size. So nobody can make a cursor for a position at which no page has ended. The secret
 * is in the key's row, which every request reads anyway, and is the same in all keys of an organization, so that a
 * cursor outlives its key.
 */
const signatureOf = (caller: Caller, list: string, query: ListQuery, after: string): string => {
  const filters = Object.entries({ ...query, limit: undefined, cursor: undefined })
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHmac('sha256', caller.cursor_secret ?? PROCESS_SECRET)
    .update(JSON.stringify([caller.org_id, list, filters, after]))
    .digest('base64url')
    .slice(0, 22);
};

const isSame = (text: string, expected: string): boolean => {
  const [given, wanted] = [Buffer.from(text), Buffer.from(expected)];
  return given.length === wanted.length && timingSafeEqual(given, wanted);
};

/**
 * The sort key in the query's cursor, or undefined at the start. An empty cursor means the start as well, because a
 * null `next_cursor` becomes an empty one in a query string.
 * @throws ApiError 422 for the cursor of another organization or list, or one that the service has not made
 */
export const readCursor = (caller: Caller, list: string, query: ListQuery): string | undefined => {
  if (!query.cursor) return undefined;
  const [signature, after] = Buffer.from(query.cursor, 'base64url').toString().split(/ (.*)/s);
  if (!after || !isSame(signature!, signatureOf(caller, list, query, after))) {
    throw errors.cursorInvalid([
      {
        loc: ['query', 'cursor'],
        type: 'value_error',
        msg: 'Value error, cursor does not belong to this list with these filters',
      },
    ]);
  }
  return after;
};

export const writeCursor = (caller: Caller, list: string, query: ListQuery, after: string): string =>
  Buffer.from(`${signatureOf(caller, list, query, after)} ${after}`).toString('base64url');

/**
 * The reply of a list from its rows in order: all of them, or a page of `limit` with the cursor of the next page. One
 * more row is read, to know whether there is a next page.
 * @param positionOf the sort key after which the next page starts, when this row is the last of its page
 */
export const listing = async <Stored, Resource>(
  caller: Caller,
  list: string,
  query: ListQuery,
  rows: AsyncIterable<Stored>,
  positionOf: (row: Stored) => string,
  toResource: (row: Stored) => Resource,
): Promise<Listing<Resource>> => {
  const { limit } = query;
  if (limit === undefined) return { rows: mapped(rows, toResource) };
  return pageOf(caller, list, { ...query, limit }, rows, positionOf, toResource);
};

/** The same for a list that is only available in pages. */
export const pageOf = async <Stored, Resource>(
  caller: Caller,
  list: string,
  query: ListQuery & { limit: number },
  rows: AsyncIterable<Stored>,
  positionOf: (row: Stored) => string,
  toResource: (row: Stored) => Resource,
): Promise<{ page: Resource[]; next?: string }> => {
  const page: Resource[] = [];
  let last: string | undefined;
  for await (const row of rows) {
    if (page.length === query.limit) {
      return { page, next: writeCursor(caller, list, query, last!) };
    }
    page.push(toResource(row));
    last = positionOf(row);
  }
  return { page };
};

/** The rows that pass a test. */
export const kept = async function* <Stored>(
  rows: AsyncIterable<Stored>,
  keep?: (row: Stored) => boolean,
): AsyncGenerator<Stored> {
  for await (const row of rows) if (!keep || keep(row)) yield row;
};

const mapped = async function* <Stored, Resource>(
  rows: AsyncIterable<Stored>,
  toResource: (row: Stored) => Resource,
): AsyncGenerator<Resource> {
  for await (const row of rows) yield toResource(row);
};

/** An entry of a history as clients see it. */
export const shownEntry = <Entry extends ByPerson>(
  schema: z.ZodType<Entry>,
  entry: Recorded<Entry>,
): Presented<Entry> =>
  // The two differ in this field alone, which the compiler does not follow through a type parameter.
  projectionOf(schema)({ acted_via_key_id: null, ...entry }) as Presented<Entry>;

/**
 * The list of the rows of a partition, in their order or the newest first. The cursor is read before the parent.
 * @param name of the list, for its cursors
 * @param parentOf the resource to which the rows belong; it throws when that does not exist
 * @throws ApiError 422 for a cursor of another list; what `parentOf` throws
 */
export const listRows = async <Stored extends object, Resource, Parent = undefined>(
  caller: Caller,
  name: string,
  query: ListQuery,
  rows: Omit<RowQuery<Stored>, 'after' | 'updatedSince'>,
  toResource: (row: Row<Stored>, parent: Parent) => Resource,
  parentOf?: () => Promise<Parent>,
): Promise<Listing<Resource>> => {
  const after = readCursor(caller, name, query);
  const parent = (await parentOf?.()) as Parent;
  return listing(
    caller,
    name,
    query,
    queryRows(caller, { ...rows, after, updatedSince: query.updated_since }),
    ({ sk }) => sk,
    (row) => toResource(row, parent),
  );
};

/** All entries of a history, or those that `where` selects. */
type HistoryRows<Entry extends object> = Range<Entry> & Pick<RowQuery<Entry>, 'where'>;

/**
 * The history of a resource, oldest first.
 * @param schema of an entry
 * @param expectResource throws when the resource does not exist
 * @throws ApiError as `listRows`
 */
export const listHistory = <Entry extends ByPerson>(
  caller: Caller,
  schema: z.ZodType<Entry>,
  name: string,
  entries: HistoryRows<Recorded<Entry> & { updated_at: string }>,
  query: ListQuery,
  expectResource: () => Promise<unknown>,
): Promise<Listing<Entry>> =>
  listRows(caller, name, query, entries, (row) => shownEntry(schema, row), expectResource);
