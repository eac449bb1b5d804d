import * as z from 'zod';
import { type Failure, type Page, type Vendor, VendorError } from '../../shared/integrations/vendor.ts';
import {
  Board,
  Capability,
  Column,
  type Credential,
  FieldType,
  Item,
  Level,
  MAX_VENDOR_CURSOR,
  Person,
  VendorAccount,
  VendorAuth,
} from '../../shared/schemas/integrations/vendor.ts';
import { reveals } from './secrets.ts';

/** What a vendor's account has, for its conformance to be shown. */
export interface World {
  credential: Credential;
  /** One that the vendor refuses. */
  wrong: Credential;
  /** A board with subitems, groups and several pages of `pageSize` items. */
  board: string;
  pageSize: number;
  items: number;
  group: string;
  /** Part of the name of some items of the board, but not of all, in another case. */
  q: string;
  boardWithoutSubitems: string;
  /** Ids of the vendor's form that lead nowhere. */
  unknown: { board: string; item: string };
}

const all = async <Row>(pages: AsyncIterable<Page<Row>>): Promise<Page<Row>[]> => Array.fromAsync(pages);
const rowsOf = <Row>(pages: readonly Page<Row>[]): Row[] => pages.flatMap(({ rows }) => rows);
const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);

/** The failure of a call, which must be one that the interface knows. */
const failureOf = async (call: Promise<unknown>): Promise<Failure> => {
  const error: unknown = await call.then(
    () => 'it did not fail',
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(VendorError);
  return (error as VendorError).failure;
};

const TYPES: Partial<Record<FieldType, string>> = {
  number: 'number',
  latitude: 'number',
  longitude: 'number',
  boolean: 'boolean',
};

/** Describes what every vendor must do, however it does it. @param world called when the tests run */
export const describeConformance = (vendor: Vendor, world: () => World): void => {
  const open = (options?: Parameters<Vendor['open']>[1]) => vendor.open(world().credential, options);

  describe(`${vendor.name} as a vendor`, () => {
    test('says what it is and what it needs', () => {
      expect(VendorAuth.safeParse(vendor.auth)).toMatchObject({ success: true });
      expect(z.array(Capability).min(1).safeParse(vendor.capabilities)).toMatchObject({ success: true });
      expect(z.array(Level).min(1).safeParse(vendor.levels)).toMatchObject({ success: true });
      expect(Object.keys(world().credential)).toEqual(
        vendor.auth.fields.filter(({ required }) => required).map(({ key }) => key),
      );
    });

    test('sends nothing before it is asked', () => {
      const session = open();
      session.boards({});
      session.items({ board_id: world().board });
      session.people();
      expect(session.calls).toBe(0);
    });

    test('tells whose a credential is, and refuses a wrong one', async () => {
      expect(VendorAccount.safeParse(await open().verify())).toMatchObject({ success: true });
      const { wrong } = world();
      const error: unknown = await vendor
        .open(wrong)
        .verify()
        .catch((thrown: unknown) => thrown);
      expect((error as VendorError).failure).toEqual({ kind: 'unauthorized' });
      const said = `${(error as Error).stack} ${JSON.stringify(error)}`;
      for (const secret of Object.values(wrong)) expect(reveals(said, secret)).toBe(false);
    });

    test('lists boards, each once, from any page on', async () => {
      const session = open();
      const rows = rowsOf(await all(session.boards({})));
      expect(z.array(Board).safeParse(rows)).toMatchObject({ success: true });
      expect(idsOf(rows)).toEqual(expect.arrayContaining([world().board, world().boardWithoutSubitems]));
      expect(new Set(idsOf(rows)).size).toBe(rows.length);
      const pages = await all(session.boards({}, { limit: 1 }));
      expect(rowsOf(pages)).toEqual(rows);
      for (const [position, { next }] of pages.entries()) {
        if (next === null) continue;
        const rest = await all(session.boards({}, { cursor: next, limit: 1 }));
        expect(rest.map((page) => page.rows)).toEqual(pages.slice(position + 1).map((page) => page.rows));
      }
      const board = rows.find(({ id }) => id === world().board)!;
      expect(await session.board(board.id)).toEqual(board);
      const found = rowsOf(await all(session.boards({ q: board.name.slice(1, 5).toUpperCase() })));
      expect(idsOf(found)).toContain(board.id);
      expect(rowsOf(await all(session.boards({ q: 'no board is called this' })))).toEqual([]);
    });

    test('describes columns, and those of subitems where there are any', async () => {
      const session = open();
      const { board, boardWithoutSubitems } = world();
      for (const columns of [await session.columns(board), await session.subitemColumns(board)]) {
        expect(z.array(Column).min(1).safeParse(columns)).toMatchObject({ success: true });
        expect(new Set(idsOf(columns)).size).toBe(columns.length);
      }
      expect(await session.subitemColumns(boardWithoutSubitems)).toEqual([]);
    });

    test('lists items, each once, from any page on, and only as many pages as are asked for', async () => {
      const { board: board_id, pageSize: limit, items } = world();
      const session = open();
      const whole = rowsOf(await all(session.items({ board_id })));
      expect(z.array(Item).safeParse(whole)).toMatchObject({ success: true });
      expect(new Set(idsOf(whole)).size).toBe(items);
      expect(whole.every((item) => item.board_id === board_id && item.parent_item_id === null)).toBe(true);

      const pages = await all(session.items({ board_id }, { limit }));
      expect(pages.length).toBeGreaterThan(2);
      expect(Math.max(...pages.map(({ rows }) => rows.length))).toBeLessThanOrEqual(limit);
      expect(rowsOf(pages)).toEqual(whole);
      expect(pages.every(({ gaps }) => gaps.length === 0)).toBe(true);
      for (const [position, { next }] of pages.entries()) {
        if (next === null) continue;
        expect(next).toMatch(/^[\x20-\x7e]+$/);
        expect(next.length).toBeLessThanOrEqual(MAX_VENDOR_CURSOR);
        const rest = rowsOf(await all(session.items({ board_id }, { cursor: next, limit })));
        expect(idsOf(rest)).toEqual(idsOf(rowsOf(pages.slice(position + 1))));
      }

      const lazy = open();
      for await (const { rows } of lazy.items({ board_id }, { limit })) {
        expect(rows.length).toBeGreaterThan(0);
        break;
      }
      expect(lazy.calls).toBe(1);
    });

    test('lists the items of a group, and those with a word in their names', async () => {
      const { board: board_id, group, q } = world();
      const session = open();
      const whole = rowsOf(await all(session.items({ board_id })));
      const inGroup = rowsOf(await all(session.items({ board_id, group_ids: [group] })));
      expect(idsOf(inGroup)).toEqual(idsOf(whole.filter((item) => item.group?.id === group)));
      expect(inGroup.length).toBeGreaterThan(0);
      expect(inGroup.length).toBeLessThan(whole.length);
      const named = rowsOf(await all(session.items({ board_id, q })));
      expect(idsOf(named)).toEqual(
        idsOf(whole.filter(({ name }) => name.toLowerCase().includes(q.toLowerCase()))),
      );
      expect(named.length).toBeGreaterThan(0);
      expect(named.length).toBeLessThan(whole.length);
    });

    test('reads the values of the columns that are asked for, as the fields that they can fill', async () => {
      const { board: board_id } = world();
      const session = open();
      const columns = await session.columns(board_id);
      const whole = rowsOf(await all(session.items({ board_id })));
      const filled = new Set<FieldType>();
      for (const value of whole.flatMap(({ values }) => values)) {
        const column = columns.find(({ id }) => id === value.column_id)!;
        expect(column.type).toBe(value.type);
        for (const type of FieldType.options) {
          const read = vendor.fieldValue(value, type);
          if (!column.target_field_types.includes(type)) expect(read).toBeNull();
          if (read === null) continue;
          expect([type, typeof read]).toEqual([type, TYPES[type] ?? 'string']);
          filled.add(type);
        }
      }
      expect(filled.has('text') && filled.has('number')).toBe(true);
      const one = columns.find(({ id }) => whole[0]!.values.some(({ column_id }) => column_id === id))!;
      for (const column_ids of [[one.id], []]) {
        const some = rowsOf(await all(session.items({ board_id, column_ids })));
        expect(idsOf(some)).toEqual(idsOf(whole));
        for (const [position, { values }] of some.entries()) {
          const read = values.filter(({ column_id }) => column_ids.includes(column_id));
          expect(read).toEqual(
            whole[position]!.values.filter(({ column_id }) => column_ids.includes(column_id)),
          );
          expect(values.length - read.length).toBeLessThanOrEqual(1);
        }
      }
    });

    test('reads an item and its subitems, which are those of the list', async () => {
      const { board: board_id } = world();
      const session = open();
      const [first] = rowsOf(await all(session.items({ board_id })));
      expect(await session.item(first!.id)).toEqual(first);
      const children = await session.children(first!.id);
      expect(z.array(Item).min(1).safeParse(children)).toMatchObject({ success: true });
      const below = rowsOf(await all(session.items({ board_id, level: 'subitem' })));
      expect(below.filter((item) => item.parent_item_id === first!.id)).toEqual(children);
      expect(new Set(idsOf(below)).size).toBe(below.length);
      const columns = idsOf(await session.subitemColumns(board_id));
      expect(columns).toEqual(expect.arrayContaining(children[0]!.values.map(({ column_id }) => column_id)));
    });

    test('lists people, each once, from any page on', async () => {
      const session = open();
      const rows = rowsOf(await all(session.people()));
      expect(z.array(Person).min(2).safeParse(rows)).toMatchObject({ success: true });
      expect(new Set(idsOf(rows)).size).toBe(rows.length);
      const [page] = await all(session.people({ limit: 1 }));
      const rest = rowsOf(await all(session.people({ limit: 1, cursor: page!.next! })));
      expect([...page!.rows, ...rest]).toEqual(rows);
    });

    test('says in its failures what is not there', async () => {
      const session = open();
      const { unknown } = world();
      for (const board_id of [unknown.board, 'no-such-board', '']) {
        for (const call of [
          session.board(board_id),
          session.columns(board_id),
          session.subitemColumns(board_id),
          all(session.items({ board_id })),
          all(session.items({ board_id, level: 'subitem' })),
        ]) {
          expect(await failureOf(call)).toEqual({ kind: 'not_found' });
        }
      }
      for (const item of [unknown.item, 'no-such-item']) {
        expect(await failureOf(session.item(item))).toEqual({ kind: 'not_found' });
        expect(await failureOf(session.children(item))).toEqual({ kind: 'not_found' });
      }
      const lost = all(session.items({ board_id: world().board }, { cursor: 'forgotten' }));
      expect(await failureOf(lost)).toEqual({ kind: 'cursor_expired' });
    });
  });
};
