import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { sha256 } from './keys.ts';

export interface ListQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
  updated_since?: string | undefined;
}

/** The reply of a list operation: a page with the cursor of the next one, or all resources as they are read. */
export type Listing<Resource> =
  | { page: Resource[]; next?: string | undefined }
  | { rows: AsyncIterable<Resource> };

/**
 * Ties a cursor to its list: to the organization, the list and its filters, but not to the page's size. A cursor only
 * holds a position. The partition always comes from the caller, so a forged cursor cannot leave its organization.
 */
const bindingOf = (caller: Caller, list: string, query: ListQuery, after: string): string => {
  const filters = Object.entries({ ...query, limit: undefined, cursor: undefined })
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([caller.org_id, list, filters, after])).slice(0, 22);
};

/**
 * The sort key in the query's cursor, or undefined at the start. An empty cursor means the start as well, because a
 * null `next_cursor` becomes an empty one in a query string.
 * @throws ApiError 422 for the cursor of another list
 */
export const readCursor = (caller: Caller, list: string, query: ListQuery): string | undefined => {
  if (!query.cursor) return undefined;
  const [binding, after] = Buffer.from(query.cursor, 'base64url').toString().split(/ (.*)/s);
  if (!after || binding !== bindingOf(caller, list, query, after)) {
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

const writeCursor = (caller: Caller, list: string, query: ListQuery, after: string): string =>
  Buffer.from(`${bindingOf(caller, list, query, after)} ${after}`).toString('base64url');

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

const mapped = async function* <Stored, Resource>(
  rows: AsyncIterable<Stored>,
  toResource: (row: Stored) => Resource,
): AsyncGenerator<Resource> {
  for await (const row of rows) yield toResource(row);
};
