import type { Vendor, VendorSession } from '../../shared/integrations/vendor.ts';
import { VendorError, type Page, type Paging } from '../../shared/integrations/vendor.ts';
import type { Board, Column, FieldType, Item, Person } from '../../shared/schemas/integrations/vendor.ts';

/* A vendor that has its boards in memory: the interface asks for nothing that only monday.com has. */

const SECRET = 'paper-secret-0123456789';
const FIELD_TYPES: Record<string, FieldType[]> = { words: ['text', 'address'], count: ['number', 'text'] };

const columns = (...given: [id: string, type: string][]): Column[] =>
  given.map(([id, type]) => ({
    id,
    title: id,
    type,
    description: null,
    options: [],
    target_field_types: FIELD_TYPES[type]!,
  }));

const board = (id: string, name: string): Board => ({
  id,
  name,
  description: null,
  kind: 'open',
  state: 'active',
  workspace: null,
  items_count: null,
  url: null,
  updated_at: null,
});

const item = (id: string, board_id: string, position: number, parent_item_id: string | null): Item => ({
  id,
  name: `Place ${position}`,
  board_id,
  group: { id: position % 2 ? 'odd' : 'even', title: '' },
  parent_item_id,
  state: 'active',
  url: null,
  created_at: null,
  updated_at: null,
  values: [
    { column_id: 'title', type: 'words', text: `Place ${position}`, value: null },
    { column_id: 'number', type: 'count', text: String(position), value: position },
  ],
});

const BOARDS = [board('a', 'Places'), board('b', 'Suppliers')];
const COLUMNS = columns(['title', 'words'], ['number', 'count']);
const ITEMS = Array.from({ length: 12 }, (_, position) => item(`a${position}`, 'a', position, null));
const BELOW = ITEMS.flatMap(({ id, group }) => [{ ...item(`${id}-1`, 'below', 1, id), group }]);
const PEOPLE: Person[] = ['Ada', 'Grace', 'Edsger'].map((name) => ({
  id: name,
  name,
  email: null,
  title: null,
  status: 'active',
}));

const fail = (kind: 'unauthorized' | 'not_found' | 'cursor_expired'): never => {
  throw new VendorError({ kind }, `Paper: ${kind}`);
};

class PaperSession implements VendorSession {
  calls = 0;
  readonly #secret: string | undefined;

  constructor(secret: string | undefined) {
    this.#secret = secret;
  }

  async #call<Result>(result: () => Result): Promise<Result> {
    this.calls += 1;
    return this.#secret === SECRET ? result() : fail('unauthorized');
  }

  async *#pages<Row>(rows: () => Row[], { cursor = '0', limit = 5 }: Paging = {}): AsyncGenerator<Page<Row>> {
    for (let next: string | null = cursor; next !== null;) {
      const start: number = /^\d+$/.test(next) ? Number(next) : fail('cursor_expired');
      const found = await this.#call(rows);
      next = start + limit < found.length ? String(start + limit) : null;
      yield { rows: found.slice(start, start + limit), next, gaps: [] };
    }
  }

  verify = () => this.#call(() => ({ id: '1', name: 'Paper', slug: null }));
  boards = ({ q = '' }: { q?: string | undefined }, paging?: Paging) =>
    this.#pages(() => BOARDS.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase())), paging);
  board = (id: string) => this.#call(() => BOARDS.find((each) => each.id === id) ?? fail('not_found'));
  columns = (id: string) =>
    this.#call(() => (BOARDS.some((each) => each.id === id) ? COLUMNS : fail('not_found')));
  subitemColumns = async (id: string) => {
    await this.board(id);
    return id === 'a' ? COLUMNS : [];
  };
  items: VendorSession['items'] = ({ board_id, level, group_ids = [], q = '', column_ids }, paging) =>
    this.#pages(() => {
      if (!BOARDS.some(({ id }) => id === board_id)) fail('not_found');
      const wanted = (each: Item) =>
        (group_ids.length === 0 || group_ids.includes(each.group!.id)) &&
        each.name.toLowerCase().includes(q.toLowerCase());
      return (board_id === 'b' ? [] : level === 'subitem' ? BELOW : ITEMS).filter(wanted).map((each) => ({
        ...each,
        values: each.values.filter(({ column_id }) => !column_ids || column_ids.includes(column_id)),
      }));
    }, paging);
  item = (id: string) => this.#call(() => ITEMS.find((each) => each.id === id) ?? fail('not_found'));
  children = async (id: string) => {
    await this.item(id);
    return BELOW.filter(({ parent_item_id }) => parent_item_id === id);
  };
  people = (paging?: Paging) => this.#pages(() => PEOPLE, paging);
}

export const paper: Vendor = {
  id: 'paper',
  name: 'Paper',
  auth: {
    kind: 'api_token',
    help_url: 'https://example.com/',
    fields: [{ key: 'secret', label: 'Secret', help: '', required: true }],
  },
  capabilities: ['sources', 'directory'],
  levels: ['item', 'subitem'],
  api_version: '1',
  calls_per_day: null,
  open: ({ secret }) => new PaperSession(secret),
  fieldValue: ({ type, text, value }, field) => {
    if (!FIELD_TYPES[type]!.includes(field)) return null;
    return field === 'number' ? (value as number) : text;
  },
};

export const PAPER_SECRET = SECRET;
