import type { Caller } from '../../base/caller.ts';
import { unprocessable } from '../../base/errors.ts';
import { sha256 } from './keys.ts';

export interface ListQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
  updated_since?: string | undefined;
}

/** What a list operation answers: a page with the way to the next, or every row as it is read. */
export type Listing<Resource> =
  | { page: Resource[]; next?: string | undefined }
  | { rows: AsyncIterable<Resource> };

/**
 * What ties a cursor's position to its list: the organization, the list and its filters, never the page's size.
 * A cursor says only where to go on; the partition always comes from the caller, so a forged one cannot leave
 * its organization.
 */
const bindingOf = (caller: Caller, list: string, query: ListQuery, after: string): string => {
  const filters = Object.entries({ ...query, limit: undefined, cursor: undefined })
    .filter(([, value]) => value !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify([caller.org_id, list, filters, after])).slice(0, 22);
};

/**
 * The sort key that the query's cursor stands for, or undefined at the start. An empty one stands for the start as
 * well: it is what becomes of a null `next_cursor` in a query. @throws ApiError 422
 */
export const readCursor = (caller: Caller, list: string, query: ListQuery): string | undefined => {
  if (!query.cursor) return undefined;
  const [binding, after] = Buffer.from(query.cursor, 'base64url').toString().split(/ (.*)/s);
  if (!after || binding !== bindingOf(caller, list, query, after)) {
    throw unprocessable([
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
 * A list's answer from its rows in order: complete as they come, or the `limit` first of them and the cursor
 * behind the last, found by looking one row further.
 * @param positionOf the sort key by which the next page goes on after a row
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

/** The same of a list that is given in pages only. */
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
