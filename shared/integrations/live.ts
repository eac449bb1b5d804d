import type { Caller } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import type { Board, Column, Item } from '../schemas/integrations/vendor.ts';
import { type Listing, type ListQuery, readCursor, writeCursor } from '../table/listing.ts';
import { decryptCredential } from './connect.ts';
import * as connections from './rows/connections.ts';
import { getConnection, type LiveConnection } from './rows/records.ts';
import { type Page, type Paging, type Vendor, VendorError, type VendorSession } from './vendor.ts';
import { vendorOf } from './vendors.ts';

/** A connection that is about to call its vendor. */
export interface OpenConnection {
  connection: LiveConnection;
  vendor: Vendor;
  session: VendorSession;
}

/** @throws ApiError 404 */
export const openConnection = async (caller: Caller, id: string): Promise<OpenConnection> => {
  const connection = await getConnection(caller, id);
  const vendor = vendorOf(connection.vendor);
  const credential = await decryptCredential(caller, id, connection.credential);
  return { connection, vendor, session: vendor.open(credential) };
};

/** A vendor's own code of an error is passed on when it looks like this. */
const CODE = /^\w{1,60}$/;

/**
 * The error of a request after a failure of the vendor. The session has already waited where that could help.
 * @param missing makes the error for something that the vendor does not have
 */
export const errorOf = async (
  caller: Caller,
  { connection, vendor }: Pick<OpenConnection, 'connection' | 'vendor'>,
  cause: unknown,
  missing: () => Error,
): Promise<unknown> => {
  if (!(cause instanceof VendorError)) return cause;
  const { failure } = cause;
  switch (failure.kind) {
    case 'not_found':
      return missing();
    case 'unauthorized': {
      const problem = { code: 'unauthorized', message: cause.message, at: new Date().toISOString() };
      await connections.noteRefused(caller, connection.id, connection.credential, problem);
      return errors.connectionRefused();
    }
    case 'refused':
      return errors.vendorRefused(CODE.test(failure.code) ? failure.code : 'unknown');
    case 'cursor_expired':
      return errors.cursorInvalid([
        { loc: ['query', 'cursor'], type: 'value_error', msg: 'Value error, the cursor has expired' },
      ]);
    case 'limited':
    case 'outage':
      return errors.unavailable(vendor.name, cause);
  }
};

/** Asks the vendor for one thing. @param noun its name in the 404 */
const call = async <Result>(
  caller: Caller,
  connectionId: string,
  noun: string,
  work: (session: VendorSession) => Promise<Result>,
): Promise<Result> => {
  const open = await openConnection(caller, connectionId);
  try {
    return await work(open.session);
  } catch (error) {
    throw await errorOf(caller, open, error, () => errors.notFound(noun));
  }
};

const rowsOf = async function* <Row>(
  caller: Caller,
  open: OpenConnection,
  noun: string,
  pages: AsyncIterable<Page<Row>>,
): AsyncGenerator<Row> {
  try {
    for await (const { rows } of pages) yield* rows;
  } catch (error) {
    throw await errorOf(caller, open, error, () => errors.notFound(noun));
  }
};

/**
 * A list of the vendor: all pages, read while the reply is sent, or one page when a limit is given. Memory holds one
 * page.
 * @param list the name of the list and of what selects its rows: a cursor is valid only there
 */
const listLive = async <Row>(
  caller: Caller,
  connectionId: string,
  noun: string,
  list: string,
  query: ListQuery,
  pagesOf: (session: VendorSession, paging: Paging) => AsyncIterable<Page<Row>>,
): Promise<Listing<Row>> => {
  const cursor = readCursor(caller, list, query);
  const open = await openConnection(caller, connectionId);
  if (query.limit === undefined) {
    return { rows: rowsOf(caller, open, noun, pagesOf(open.session, { cursor })) };
  }
  try {
    for await (const { rows, next } of pagesOf(open.session, { cursor, limit: query.limit })) {
      // A page may be empty although more follow.
      if (rows.length === 0 && next !== null) continue;
      return { page: rows, ...(next !== null && { next: writeCursor(caller, list, query, next) }) };
    }
    return { page: [] };
  } catch (error) {
    throw await errorOf(caller, open, error, () => errors.notFound(noun));
  }
};

type BoardsRequest = ListQuery & { q?: string | undefined; workspace_id?: string | undefined };

/** @throws ApiError 404; 409 for a credential that the vendor refuses; 503 */
export const boards = (caller: Caller, connectionId: string, query: BoardsRequest): Promise<Listing<Board>> =>
  listLive(caller, connectionId, 'workspace', `BOARDS ${connectionId}`, query, (session, paging) =>
    session.boards({ q: query.q, workspace_id: query.workspace_id }, paging),
  );

type ItemsRequest = ListQuery & {
  board_id: string;
  group_ids?: string[] | undefined;
  q?: string | undefined;
};

export const items = (caller: Caller, connectionId: string, query: ItemsRequest): Promise<Listing<Item>> =>
  listLive(caller, connectionId, 'board', `ITEMS ${connectionId}`, query, (session, paging) =>
    session.items({ board_id: query.board_id, group_ids: query.group_ids, q: query.q }, paging),
  );

export const columns = (caller: Caller, connectionId: string, boardId: string): Promise<Column[]> =>
  call(caller, connectionId, 'board', (session) => session.columns(boardId));

export const subitemColumns = (caller: Caller, connectionId: string, boardId: string): Promise<Column[]> =>
  call(caller, connectionId, 'board', (session) => session.subitemColumns(boardId));

export const item = (caller: Caller, connectionId: string, itemId: string): Promise<Item> =>
  call(caller, connectionId, 'item', (session) => session.item(itemId));

export const children = (caller: Caller, connectionId: string, itemId: string): Promise<Item[]> =>
  call(caller, connectionId, 'item', (session) => session.children(itemId));
