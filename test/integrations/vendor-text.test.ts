import { parse } from 'csv-parse/sync';
import type * as z from 'zod';
import * as getConnection from '../../functions/integrations/get-connection.ts';
import * as listBoards from '../../functions/integrations/list-boards.ts';
import * as listColumns from '../../functions/integrations/list-columns.ts';
import * as listItems from '../../functions/integrations/list-items.ts';
import * as listLocations from '../../functions/locations/list-locations.ts';
import * as makeBulkExport from '../../functions/workers/make-bulk-export.ts';
import { demoAccount } from '../../infra/local/monday/account.ts';
import { fails, replies } from '../../infra/local/monday/faults.ts';
import { PAUSE } from '../../shared/integrations/monday/client.ts';
import { newInspection } from '../inspections/fixtures.ts';
import { as, type Endpoint } from '../support/call.ts';
import { mailsTo } from '../support/mails.ts';
import { useMonday } from '../support/monday.ts';
import { mailOut, mailTasks, newMember } from '../support/notices.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { sync } from './fixtures.ts';

Object.assign(PAUSE, { after_outage: 0 });

const PLACES = '4001001';

/** A formula, markup and a mark of direction; with an end of a line, a control and half a character. */
const FORMULA = '=HYPERLINK("http://evil.example";"x")<img src=x onerror=alert(1)>\u202eevil';
const SHORT = `${FORMULA}\n\u0007\u2066\ud83d`;
const LONG = SHORT + 'long '.repeat(2_000);

const hostileAccount = () => {
  const account = demoAccount();
  const [board] = account.boards;
  board!.name = LONG;
  board!.description = LONG;
  for (const column of board!.columns) column.title = LONG;
  board!.groups[0]!.title = LONG;
  for (const [position, name] of [FORMULA, SHORT, LONG].entries()) board!.items[position]!.name = name;
  for (const item of board!.items) item.cells['label'] = LONG;
  return { ...account, name: LONG, slug: LONG };
};

const fake = useMonday(hostileAccount);

/** What a text of ours must not have, however the vendor's was. */
const FORBIDDEN = /[\p{Cc}\p{Bidi_Control}\p{Surrogate}]/u;
const expectPlain = (text: string, length: number) => {
  expect(text).not.toMatch(FORBIDDEN);
  expect(text.length).toBeLessThanOrEqual(length);
};

let person: Person;
let connection_id: string;
const source = (): Promise<{ id: string }> =>
  person.integrations.createSource({
    params: { connection_id },
    body: {
      name: 'Places',
      target_ref: 'locations',
      board_id: PLACES,
      mappings: { name: 'name', kind: 'label' },
    },
  });

beforeAll(async () => {
  person = await newPerson('Hostile');
  const body = { vendor: 'monday', title: 'Harbour', credential: { api_token: fake().token } };
  connection_id = (await person.integrations.createConnection({ body })).id;
});

describe('hostile texts of a vendor', () => {
  test('in names: replies have their schema, and what is stored of them is short and plain', async () => {
    const params = { connection_id };
    const read = async (endpoint: Endpoint, query: Record<string, string> = {}) => {
      const body = await as(person).must(endpoint, { params, query });
      expect((endpoint.operation.response as z.ZodType).parse(body)).toEqual(body);
      return body;
    };
    const [board] = await read(listBoards);
    expect(board.name).toContain('<img');
    await read(listColumns, { board_id: PLACES });
    const [, second] = await read(listItems, { board_id: PLACES });
    expect(second.name).not.toContain('\u0007');
    expect(second.name.isWellFormed()).toBe(true);
    const { account } = await read(getConnection);
    for (const name of [account.name, account.slug]) expectPlain(name, 200);
    const { id } = await source();
    const { board_name } = await person.integrations.getSource({ params: { source_id: id } });
    expectPlain(board_name, 200);
  });

  test('in errors: runs, activity, notifications and mails have them short, plain and escaped', async () => {
    await newMember(person, 'Ada', { role: 'admin' });
    const { id } = await source();
    fake().fault(fails('ColumnValueException', LONG));
    const run = await sync(person, { id });
    expect([run.status, run.error?.code]).toEqual(['failed', 'refused']);
    const { problem } = await person.integrations.getSource({ params: { source_id: id } });
    const [listed] = await person.integrations.listSyncRuns({ params: { source_id: id } });
    const params = { vendor: 'monday' };
    const [newest] = await person.integrations.listActivity({ params });
    for (const text of [problem.message, listed.error.message, newest.message]) {
      expect(text).toContain('HYPERLINK');
      expectPlain(text, 600);
    }
    const { items } = await person.notifications.listMy();
    for (const each of items) expectPlain(`${each.title} ${each.body}`, 1_000);
    const task = (await mailTasks(person)).at(-1)!;
    expect(await mailOut(person, task)).toBe(true);
    const [mail] = await mailsTo(`ada@${person.caller.org_id}.example`);
    expect(mail!.body.text).toContain('HYPERLINK');
    expect(mail!.body.html).toContain('&lt;img');
    expect(mail!.body.html).not.toContain('<img src=x');
    expect(mail!.subject).not.toMatch(FORBIDDEN);
  });

  test('in ids and cursors that are no such thing: the vendor is not available', async () => {
    const page = (item: object, cursor: string | null) =>
      replies(200, JSON.stringify({ data: { boards: [{ items_page: { cursor, items: [item] } }] } }));
    const query = { board_id: PLACES };
    const item = { id: '1', name: 'One', group: null, column_values: [] };
    for (const fault of [page({ ...item, id: LONG }, null), page(item, LONG)]) {
      fake().fault(fault, { times: 2 });
      expect((await person.try.integrations.listItems({ params: { connection_id }, query })).status).toBe(
        503,
      );
    }
  });

  test('in items: a row is taken as text or named by its id, and exports neutralize it', async () => {
    const { id } = await source();
    for (const item of fake().account.boards[0]!.items) delete item.cells['label'];
    const run = await sync(person, { id });
    expect([run.status, run.counts]).toMatchObject(['partial', { created: 22, failed: 2 }]);
    expect(run.errors.map(({ item_id, field }) => [item_id, field])).toEqual([
      [`${PLACES}000001`, 'name'],
      [`${PLACES}000002`, 'name'],
    ]);
    expect(JSON.stringify(run.errors)).not.toContain('HYPERLINK');
    const locations = await person.locations.list();
    expect(listLocations.operation.response.parse(locations)).toEqual(locations);
    const hostile = locations.find(({ name }: { name: string }) => name.startsWith('='));
    const inspection = await newInspection(person, { location_id: hostile.id });

    const { id: export_id } = await person.reports.createBulkExport({
      body: { inspection_ids: [inspection.id], format: 'csv', bundle: 'merged' },
    });
    const tasks = await waitingTasks(person.caller);
    const task = tasks.find(({ data }) => data['bulk_export_id'] === export_id)!;
    expect(await deliver(makeBulkExport.handler, task)).toBe(true);
    const { url } = await person.reports.getBulkExport({ params: { export_id } });
    const csv = await (await fetch(url)).text();
    const [row] = parse(csv, { bom: true, columns: true }) as { location: string }[];
    expect(row!.location).toBe(`'${hostile.name}`);
  });
});
