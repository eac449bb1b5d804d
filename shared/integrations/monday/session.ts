import type { Board, Column, Item, Person, VendorAccount } from '../../schemas/integrations/vendor.ts';
import type { BoardsQuery, ItemsQuery, Page, Paging, VendorError, VendorSession } from '../vendor.ts';
import { MondayApi } from './client.ts';
import { columnsOf, NAME_COLUMN, subitemBoardOf } from './columns.ts';
import { cursorExpired, notFound, PageTooLarge } from './failures.ts';
import type { BoardReply, ColumnReply, ItemReply, ParentReply } from './replies.ts';
import { itemValueOf } from './values.ts';

/** monday.com's own types of boards; others are documents and boards that hold subitems. */
const PEOPLES_BOARD = 'board';

/** Rows of a page when the caller gives no limit. Parents are fewer, because their subitems come with them. */
const PAGE = { boards: 100, items: 500, parents: 100, people: 200 };

const PERSON_STATUS: Readonly<Record<string, Person['status']>> = {
  ACTIVE: 'active',
  PENDING: 'invited',
  INACTIVE: 'inactive',
};

const ID = /^\d{1,20}$/;

/** @throws VendorError for an id that monday.com would take for a mistake in the document */
const checkId = (id: string, what: string): void => {
  if (!ID.test(id)) throw notFound(what);
};

/** The one entry of a list that was asked for. @throws VendorError when it is absent */
const only = <Entry>(
  [entry]: readonly (Entry | undefined)[],
  { failure }: { failure: VendorError | undefined },
  what: string,
): Entry => {
  if (entry === undefined) throw failure ?? notFound(what);
  return entry;
};

const timestamp = (text: string | null): string | null => {
  const date = new Date(text ?? '');
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
};

const boardOf = (board: BoardReply): Board => ({
  id: board.id,
  name: board.name,
  description: board.description,
  kind: board.board_kind,
  state: board.state,
  workspace: board.workspace?.id ? { id: board.workspace.id, name: board.workspace.name } : null,
  items_count: board.items_count,
  url: board.url,
  updated_at: timestamp(board.updated_at),
});

/** Where an item stands, as far as its own reply does not say it. */
interface ItemPosition {
  board_id: string;
  group?: Item['group'];
  parent_item_id?: string | null;
}

const itemOf = (
  item: ItemReply,
  { board_id, group = item.group, parent_item_id = null }: ItemPosition,
): Item => ({
  id: item.id,
  name: item.name,
  board_id,
  group,
  parent_item_id,
  state: item.state ?? 'active',
  url: item.url,
  created_at: timestamp(item.created_at),
  updated_at: timestamp(item.updated_at),
  values: [
    { column_id: NAME_COLUMN, type: NAME_COLUMN, text: item.name || null, value: item.name || null },
    ...item.column_values.map(itemValueOf),
  ],
});

const subitemsOf = ({ id, group, subitems }: ParentReply): Item[] =>
  // One without its board is a gap of the page.
  subitems.flatMap((item) =>
    item.board ? [itemOf(item, { board_id: item.board.id, group, parent_item_id: id })] : [],
  );

/** The values to read. When only the name is wanted, no values are read: an empty list of columns would mean all. */
const valuesOf = (column_ids: ItemsQuery['column_ids']) => {
  const columns = column_ids?.filter((id) => id !== NAME_COLUMN);
  return { columns, has_values: columns === undefined || columns.length > 0 };
};

/** The filter of a query, in monday.com's form; undefined for no filter. */
const filterOf = ({ group_ids = [], q }: ItemsQuery) => {
  const rules = [
    ...(group_ids.length > 0 ? [{ column_id: 'group', compare_value: group_ids, operator: 'any_of' }] : []),
    ...(q ? [{ column_id: 'name', compare_value: [q], operator: 'contains_text' }] : []),
  ];
  return rules.length > 0 ? { rules, operator: 'and' } : undefined;
};

/** The variables of a page. Only the first page has the filter; later cursors contain it. */
const pageVariables = (query: ItemsQuery, cursor: string, limit: number) => ({
  ...(cursor ? { cursor } : { board: query.board_id, filter: filterOf(query) }),
  limit,
  ...valuesOf(query.column_ids),
});

/** The cursor of a list that monday.com numbers: the page's number and size. */
const numberedCursor = {
  read: (cursor: string | undefined, limit: number) => {
    if (cursor === undefined) return { page: 1, limit };
    const [, page, size] = /^(\d{1,6})\/(\d{1,3})$/.exec(cursor) ?? [];
    if (page === undefined) throw cursorExpired();
    return { page: Number(page), limit: Number(size) };
  },
  write: (page: number, limit: number) => `${page}/${limit}`,
};

/** The pages of a list that monday.com numbers. The first page that is not full is the last. */
async function* numberedPages<Entry, Row>(
  { cursor, limit: wanted }: Paging,
  size: number,
  read: (page: number, limit: number) => Promise<{ entries: number; rows: Row[]; gaps: Page<Row>['gaps'] }>,
): AsyncGenerator<Page<Row>, void, Entry> {
  const start = numberedCursor.read(cursor, wanted ?? size);
  const { limit } = start;
  for (let { page } = start, isLast = false; !isLast; page += 1) {
    const { entries, rows, gaps } = await read(page, limit);
    isLast = entries < limit;
    yield { rows, next: isLast ? null : numberedCursor.write(page + 1, limit), gaps };
  }
}

/** @see VendorSession */
export class MondaySession implements VendorSession {
  readonly #api: MondayApi;

  constructor(token: string, maxWait: number) {
    this.#api = new MondayApi(token, maxWait);
  }

  get calls(): number {
    return this.#api.calls;
  }

  async verify(): Promise<VendorAccount> {
    const { data } = await this.#api.ask('account', {});
    return data.account;
  }

  boards({ workspace_id, q }: BoardsQuery, paging: Paging = {}): AsyncIterable<Page<Board>> {
    if (workspace_id !== undefined) checkId(workspace_id, 'workspace');
    const part = q?.toLowerCase();
    return numberedPages(paging, PAGE.boards, async (page, limit) => {
      const { data, gaps } = await this.#api.ask('boards', {
        page,
        limit,
        ...(workspace_id !== undefined && { workspaces: [workspace_id] }),
      });
      const rows = data.boards
        .filter(({ type, name }) => type === PEOPLES_BOARD && (!part || name.toLowerCase().includes(part)))
        .map(boardOf);
      return { entries: data.boards.length, rows, gaps };
    });
  }

  async board(board_id: string): Promise<Board> {
    checkId(board_id, 'board');
    const answer = await this.#api.ask('board', { board: board_id });
    return boardOf(only(answer.data.boards, answer, 'board'));
  }

  async columns(board_id: string): Promise<Column[]> {
    return columnsOf(await this.#columns(board_id));
  }

  async subitemColumns(board_id: string): Promise<Column[]> {
    const subitemBoard = subitemBoardOf(await this.#columns(board_id));
    return subitemBoard === undefined ? [] : columnsOf(await this.#columns(subitemBoard));
  }

  async #columns(board_id: string): Promise<ColumnReply[]> {
    checkId(board_id, 'board');
    const answer = await this.#api.ask('columns', { board: board_id });
    // Half of the columns would look like a board from which the others were removed.
    if (answer.failure) throw answer.failure;
    return only(answer.data.boards, answer, 'board').columns;
  }

  async *items(query: ItemsQuery, { cursor, limit: wanted }: Paging = {}): AsyncGenerator<Page<Item>> {
    checkId(query.board_id, 'board');
    const isBelow = query.level === 'subitem';
    let limit = wanted ?? (isBelow ? PAGE.parents : PAGE.items);
    for (let next: string | null = cursor ?? ''; next !== null;) {
      try {
        const page: Page<Item> = await (isBelow
          ? this.#subitemPage(query, next, limit)
          : this.#itemPage(query, next, limit));
        ({ next } = page);
        yield page;
      } catch (error) {
        if (!(error instanceof PageTooLarge) || limit === 1) throw error;
        limit = Math.ceil(limit / 2);
      }
    }
  }

  /** @param cursor empty for the first page, which comes with its board */
  async #itemPage(query: ItemsQuery, cursor: string, limit: number): Promise<Page<Item>> {
    const variables = pageVariables(query, cursor, limit);
    const answer = await this.#api.ask(cursor ? 'nextItems' : 'items', variables);
    const page = only([answer.data], answer, 'board');
    const rows = page.items.map((item) => itemOf(item, { board_id: query.board_id }));
    return { rows, next: page.cursor, gaps: answer.gaps };
  }

  async #subitemPage(query: ItemsQuery, cursor: string, limit: number): Promise<Page<Item>> {
    const variables = pageVariables(query, cursor, limit);
    const answer = await this.#api.ask(cursor ? 'nextSubitems' : 'subitems', variables);
    const page = only([answer.data], answer, 'board');
    return { rows: page.items.flatMap(subitemsOf), next: page.cursor, gaps: answer.gaps };
  }

  async item(item_id: string): Promise<Item> {
    checkId(item_id, 'item');
    const answer = await this.#api.ask('item', { item: item_id, ...valuesOf(undefined) });
    const item = only(answer.data.items, answer, 'item');
    if (item.state === 'deleted') throw notFound('item');
    const { id: board_id } = only([item.board ?? undefined], answer, 'item');
    return itemOf(item, { board_id, parent_item_id: item.parent_item?.id ?? null });
  }

  async children(item_id: string): Promise<Item[]> {
    checkId(item_id, 'item');
    const answer = await this.#api.ask('children', { item: item_id, ...valuesOf(undefined) });
    if (answer.failure) throw answer.failure;
    return subitemsOf(only(answer.data.items, answer, 'item'));
  }

  people(paging: Paging = {}): AsyncIterable<Page<Person>> {
    return numberedPages(paging, PAGE.people, async (page, limit) => {
      const statuses = Object.keys(PERSON_STATUS);
      const { data, gaps } = await this.#api.ask('people', { page, limit, statuses });
      const rows = data.users.map(({ status, ...person }) => ({
        ...person,
        status: PERSON_STATUS[status] ?? 'inactive',
      }));
      return { entries: data.users.length, rows, gaps };
    });
  }
}
