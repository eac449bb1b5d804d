import {
  type Failure,
  type FieldValue,
  type Page,
  type Paging,
  type Vendor,
  VendorError,
  type VendorSession,
} from '../../shared/integrations/vendor.ts';
import { addVendor } from '../../shared/integrations/vendors.ts';
import type { Board, Column, Item, ItemValue, Person } from '../../shared/schemas/integrations/vendor.ts';

/** The token that the vendor accepts, unless a test gives it another. */
export const GOOD_TOKEN = 'memory-token-0123456789';

const COLUMNS: Column[] = [
  { id: 'name', title: 'Name', type: 'name', target_field_types: ['text', 'reference'] },
  { id: 'kind', title: 'Kind', type: 'status', target_field_types: ['text'] },
  { id: 'where', title: 'Where', type: 'text', target_field_types: ['text', 'address', 'reference'] },
  { id: 'lat', title: 'Latitude', type: 'numbers', target_field_types: ['number', 'latitude'] },
  { id: 'mail', title: 'Mail', type: 'email', target_field_types: ['email', 'text'] },
  { id: 'code', title: 'Code', type: 'text', target_field_types: ['text'] },
  { id: 'failed', title: 'Failed', type: 'checkbox', target_field_types: ['boolean'] },
  { id: 'files', title: 'Files', type: 'file', target_field_types: [] },
].map((column) => ({ description: null, options: [], ...column }) as Column);

type Fields = Record<string, string | number | boolean | null>;

const itemOf = (
  board_id: string,
  id: string,
  fields: Fields,
  parent_item_id: string | null = null,
): Item => ({
  id,
  name: String(fields['name'] ?? ''),
  board_id,
  group: { id: 'all', title: 'All' },
  parent_item_id,
  state: 'active',
  url: null,
  created_at: null,
  updated_at: null,
  values: Object.entries(fields).map(([column_id, value]): ItemValue => ({
    column_id,
    type: column_id,
    text: value === null ? null : String(value),
    value,
  })),
});

/** A vendor whose boards are held in memory, with the faults that a test gives it. */
export class MemoryVendor implements Vendor {
  readonly id = 'monday';
  readonly name = 'Memory';
  readonly auth = {
    kind: 'api_token' as const,
    help_url: 'https://example.com/help',
    fields: [{ key: 'api_token', label: 'Token', help: 'From your profile.', required: true }],
  };
  readonly capabilities = ['sources', 'directory'] as const;
  readonly levels = ['item', 'subitem'] as const;
  readonly api_version = 'test';
  calls_per_day: number | null = 1_000;
  pageSize = 50;
  /** The token that it accepts. */
  token = GOOD_TOKEN;
  /** Items by their ids, by the ids of their boards. */
  readonly boards = new Map<string, Map<string, Item>>();
  readonly subitems = new Map<string, Item[]>();
  people: Person[] = [];
  calls = 0;
  /** Called before each call; it may throw, and somebody else may act in it. */
  beforeCall: (what: string, cursor: string | undefined) => void | Promise<void> = () => {};
  /** Items that the vendor says it has answered only in part. */
  gaps: Page<Item>['gaps'] = [];

  fieldValue({ value }: ItemValue): FieldValue {
    return value as FieldValue;
  }

  /** Puts items on a board: their fields by their ids. */
  put(board: string, items: Record<string, Fields>): void {
    const known = this.boards.get(board) ?? new Map<string, Item>();
    this.boards.set(board, known);
    for (const [id, fields] of Object.entries(items)) known.set(id, itemOf(board, id, fields));
  }

  putSubitem(parent: string, id: string, fields: Fields): void {
    this.subitems.set(parent, [...(this.subitems.get(parent) ?? []), itemOf('sub', id, fields, parent)]);
  }

  take(board: string, ...ids: string[]): void {
    for (const id of ids) this.boards.get(board)!.delete(id);
  }

  open({ api_token }: Record<string, string>): VendorSession {
    const session = { calls: 0 };
    const call = async (what: string, cursor?: string): Promise<void> => {
      session.calls += 1;
      this.calls += 1;
      if (api_token !== this.token) throw failing({ kind: 'unauthorized' });
      await this.beforeCall(what, cursor);
    };
    const board = (id: string): Map<string, Item> => {
      const found = this.boards.get(id);
      if (!found) throw failing({ kind: 'not_found' });
      return found;
    };
    const pages = async function* <Row>(
      what: string,
      rows: () => Row[],
      { cursor, limit }: Paging = {},
      size: number,
      gaps: Page<Row>['gaps'] = [],
    ): AsyncGenerator<Page<Row>> {
      let at = Number(cursor ?? 0);
      for (;;) {
        await call(what, cursor);
        const all = rows();
        const end = at + (limit ?? size);
        const next = end < all.length ? String(end) : null;
        yield { rows: all.slice(at, end), next, gaps };
        if (next === null) return;
        at = end;
        cursor = next;
      }
    };
    const boardRow = (id: string): Board => ({
      id,
      name: `Board ${id}`,
      description: null,
      kind: 'public',
      state: 'active',
      workspace: null,
      items_count: this.boards.get(id)!.size,
      url: null,
      updated_at: null,
    });
    return Object.assign(session, {
      verify: async () => {
        await call('verify');
        return { id: '1', name: 'Harbour', slug: 'harbour' };
      },
      boards: ({ q = '' }: { q?: string | undefined }, paging?: Paging) =>
        pages(
          'boards',
          () => [...this.boards.keys()].filter((id) => `Board ${id}`.includes(q)).map(boardRow),
          paging,
          this.pageSize,
        ),
      board: async (id: string) => {
        await call('board');
        board(id);
        return boardRow(id);
      },
      columns: async (id: string) => {
        await call('columns');
        board(id);
        return COLUMNS;
      },
      subitemColumns: async (id: string) => {
        await call('subitemColumns');
        board(id);
        return COLUMNS.slice(0, 3);
      },
      items: ({ board_id, level }: { board_id: string; level?: string | undefined }, paging?: Paging) =>
        pages(
          'items',
          () => {
            const items = [...board(board_id).values()];
            return level === 'subitem' ? items.flatMap(({ id }) => this.subitems.get(id) ?? []) : items;
          },
          paging,
          this.pageSize,
          this.gaps,
        ),
      item: async (id: string) => {
        await call('item');
        const found = this.boards
          .values()
          .map((items) => items.get(id))
          .find(Boolean);
        if (!found) throw failing({ kind: 'not_found' });
        return found;
      },
      children: async (id: string) => {
        await call('children');
        if (!this.boards.values().some((items) => items.has(id))) throw failing({ kind: 'not_found' });
        return this.subitems.get(id) ?? [];
      },
      people: (paging?: Paging) => pages('people', () => this.people, paging, this.pageSize),
    });
  }
}

export const failing = (failure: Failure): VendorError => new VendorError(failure, 'Memory says no.');

/** Puts a vendor into the place of monday.com for a test file. */
export const useMemoryVendor = (): MemoryVendor => {
  const vendor = new MemoryVendor();
  addVendor(vendor);
  return vendor;
};
