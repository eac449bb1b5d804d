import { randomBytes } from 'node:crypto';
import { GraphQLError } from 'graphql';
import { type FakeAccount, type FakeBoard, type FakeItem, formerSettings } from './account.ts';
import { valuesOf } from './values.ts';

/** monday.com's own limits (API reference: items_page, items, users). */
const MAX_ITEMS_OF_PAGE = 500;
const MAX_IDS = 100;
const MAX_USERS = 1_000;
const CURSOR_LIFETIME_MS = 60 * 60_000;

interface Rule {
  column_id: string;
  compare_value: string[];
  operator: string;
}
interface PageArguments {
  limit: number;
  cursor?: string | null;
  query_params?: { rules?: Rule[] | null } | null;
}

/** An error as monday.com describes it. */
export const appError = (
  code: string,
  message: string,
  status_code = 200,
  error_data: object = {},
): GraphQLError => new GraphQLError(message, { extensions: { code, status_code, error_data } });

const pageOf = <Entry>(
  entries: readonly Entry[],
  { page = 1, limit }: { page?: number; limit: number },
): Entry[] => entries.slice((page - 1) * limit, page * limit);

const matches = (item: FakeItem, { column_id, compare_value, operator }: Rule): boolean => {
  if (column_id === 'group' && operator === 'any_of') return compare_value.includes(item.group);
  if (column_id === 'name' && operator === 'contains_text')
    return compare_value.every((part) => item.name.toLowerCase().includes(part.toLowerCase()));
  throw appError('InvalidArgumentException', `This filter is not known: ${column_id} ${operator}`);
};

/** Where a list of items goes on: what was on it when it began. */
interface Position {
  board: FakeBoard;
  ids: string[];
  begun: number;
}

/** @param now the time in milliseconds, by which cursors expire */
export const resolversOf = (account: FakeAccount, now: () => number) => {
  const positions = new Map<string, Position>();
  const { boards } = account;

  const boardOf = (id: string | undefined) => boards.find((board) => board.id === id);

  const shownItem = (item: FakeItem, board: FakeBoard, parent?: FakeItem): object => ({
    id: item.id,
    name: item.name,
    state: item.state,
    url: `https://${account.slug}.monday.com/boards/${board.id}/pulses/${item.id}`,
    created_at: '2026-01-15T09:00:00Z',
    updated_at: item.updated_at,
    board: () => shownBoard(board),
    group: board.groups.find(({ id }) => id === item.group) ?? null,
    parent_item: parent ? () => shownItem(parent, boardOfItem(parent)!) : null,
    subitems: () => item.subitems.map((below) => shownItem(below, boardOf(board.subitemBoard)!, item)),
    column_values: ({ ids }: { ids?: string[] | null }) => valuesOf(item, board, account, ids),
  });

  const boardOfItem = (item: FakeItem) => boards.find(({ items }) => items.includes(item));

  /** The next page of a list, and the cursor of the one after it. */
  const pageFrom = ({ board, ids, begun }: Position, limit: number) => {
    if (limit < 1 || limit > MAX_ITEMS_OF_PAGE)
      throw appError('InvalidArgumentException', `limit must be from 1 to ${MAX_ITEMS_OF_PAGE}`);
    const byId = new Map(board.items.map((item) => [item.id, item]));
    const items = ids.slice(0, limit).flatMap((id) => {
      const item = byId.get(id);
      return item?.state === 'active' ? [shownItem(item, board)] : [];
    });
    const rest = ids.slice(limit);
    if (rest.length === 0) return { cursor: null, items };
    const cursor = `MSw${randomBytes(24).toString('base64url')}`;
    positions.set(cursor, { board, ids: rest, begun });
    return { cursor, items };
  };

  const nextPage = ({ cursor, limit }: { cursor: string; limit: number }) => {
    const position = positions.get(cursor);
    if (!position) throw appError('CursorException', 'The cursor provided for pagination is invalid', 200);
    if (now() - position.begun > CURSOR_LIFETIME_MS)
      throw appError('CursorExpiredError', 'The cursor provided for pagination has expired', 200);
    return pageFrom(position, limit);
  };

  const shownBoard = (board: FakeBoard): object => ({
    ...board,
    items_count: board.items.length,
    url: `https://${account.slug}.monday.com/boards/${board.id}`,
    updated_at: '2026-11-02T08:30:00Z',
    columns: board.columns.map((column) => ({
      archived: false,
      settings: {},
      settings_str: formerSettings(column),
      ...column,
    })),
    items_page: ({ limit, cursor, query_params }: PageArguments) => {
      if (cursor) return nextPage({ cursor, limit });
      const rules = query_params?.rules ?? [];
      const ids = board.items
        .filter((item) => item.state === 'active' && rules.every((rule) => matches(item, rule)))
        .map(({ id }) => id);
      return pageFrom({ board, ids, begun: now() }, limit);
    },
  });

  return {
    me: () => ({ ...account.users[0]!, id: account.users[0]!.id }),
    account: () => ({ id: account.id, name: account.name, slug: account.slug }),
    boards: (given: {
      ids?: string[];
      limit: number;
      page: number;
      workspace_ids?: string[];
      state: string;
    }) =>
      pageOf(
        boards
          .filter(({ state }) => given.state === 'all' || state === given.state)
          .filter(({ id }) => !given.ids || given.ids.includes(id))
          .filter(
            ({ workspace }) => !given.workspace_ids || given.workspace_ids.includes(workspace?.id ?? ''),
          ),
        given,
      ).map(shownBoard),
    items: ({ ids, limit }: { ids?: string[]; limit: number }) => {
      if (!ids || ids.length > MAX_IDS)
        throw appError('InvalidArgumentException', `ids must be from 1 to ${MAX_IDS}`);
      const found = boards.flatMap((board) =>
        board.items.flatMap((item) => [
          ...(ids.includes(item.id) ? [shownItem(item, board)] : []),
          ...item.subitems
            .filter(({ id }) => ids.includes(id))
            .map((below) => shownItem(below, boardOf(board.subitemBoard)!, item)),
        ]),
      );
      return found.slice(0, limit);
    },
    next_items_page: nextPage,
    users: (given: { limit: number; page: number; status?: string[]; ids?: string[] }) => {
      if (given.limit > MAX_USERS)
        throw appError('InvalidArgumentException', `limit must be at most ${MAX_USERS}`);
      const { status = ['ACTIVE', 'PENDING'] } = given;
      return pageOf(
        account.users.filter((user) => status.includes(user.status)),
        given,
      );
    },
    complexity: () => ({ before: 5_000_000, query: 1_000, after: 4_999_000, reset_in_x_seconds: 30 }),
  };
};
