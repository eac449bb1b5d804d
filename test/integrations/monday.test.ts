import { parse, validate } from 'graphql';
import { placesBoard } from '../../infra/local/monday/account.ts';
import {
  alters,
  cutsBody,
  cutsJson,
  fails,
  failsInOlderForm,
  type Fault,
  FAULTS,
  rateLimited,
  replies,
  resetsConnection,
} from '../../infra/local/monday/faults.ts';
import { mondaySchema, TOKEN } from '../../infra/local/monday/server.ts';
import { inRequest, newScope } from '../../shared/base/request.ts';
import { PAUSE } from '../../shared/integrations/monday/client.ts';
import { columnsOf, subitemBoardOf } from '../../shared/integrations/monday/columns.ts';
import { DOCUMENTS } from '../../shared/integrations/monday/documents.ts';
import { monday } from '../../shared/integrations/monday/monday.ts';
import { itemValueOf } from '../../shared/integrations/monday/values.ts';
import { type Failure, VendorError } from '../../shared/integrations/vendor.ts';
import { useMonday } from '../support/monday.ts';
import { revealedBy } from '../support/secrets.ts';
import { describeConformance } from '../support/vendor-conformance.ts';
import { paper, PAPER_SECRET } from './second-vendor.ts';

Object.assign(PAUSE, { after_outage: 0 });

const fake = useMonday();
const BOARD = '4001001';
const open = (max_wait_seconds = 0) => monday.open({ api_token: TOKEN }, { max_wait_seconds });

const failureOf = async (call: Promise<unknown>): Promise<VendorError> => {
  const error: unknown = await call.then(
    (value) => value,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(VendorError);
  return error as VendorError;
};
const kindOf = async (call: Promise<unknown>): Promise<Failure['kind']> =>
  (await failureOf(call)).failure.kind;

describeConformance(monday, () => ({
  credential: { api_token: TOKEN },
  wrong: { api_token: 'eyJhbGciOiJIUzI1NiJ9.wrong-token' },
  board: BOARD,
  pageSize: 7,
  items: 24,
  group: 'south',
  q: 'olive GROVE',
  boardWithoutSubitems: '4001002',
  unknown: { board: '999', item: '999' },
}));

describeConformance(paper, () => ({
  credential: { secret: PAPER_SECRET },
  wrong: { secret: 'another-secret' },
  board: 'a',
  pageSize: 5,
  items: 12,
  group: 'odd',
  q: 'PLACE 1',
  boardWithoutSubitems: 'b',
  unknown: { board: 'z', item: 'z' },
}));

describe('the documents', () => {
  test.each(Object.entries(DOCUMENTS))('%s is valid in the published schema', (_, document) => {
    expect(validate(mondaySchema(), parse(document))).toEqual([]);
  });

  test('are sent with the token and the pinned version, and nothing else that tells who we are', async () => {
    await open().verify();
    const { headers } = fake().seen[0]!;
    expect(headers).toMatchObject({ authorization: TOKEN, 'api-version': '2026-10' });
    expect(Object.keys(headers).toSorted()).toEqual([
      'accept-encoding',
      'api-version',
      'authorization',
      'connection',
      'content-length',
      'content-type',
      'host',
    ]);
  });
});

describe('a failure', () => {
  const LIMIT = (retry_in_seconds: number): Failure => ({
    kind: 'limited',
    retry_in_seconds,
    is_daily: false,
  });

  test.each<[string, Fault, Failure]>([
    ['HTTP 401', FAULTS['unauthorized']!(0), { kind: 'unauthorized' }],
    ['401 without JSON', replies(401, '<html>'), { kind: 'unauthorized' }],
    ['401 as an object', replies(401, '{"error_message":"Not Authenticated"}'), { kind: 'unauthorized' }],
    ['a user without access', fails('UserUnauthorizedException'), { kind: 'unauthorized' }],
    ['the older form', failsInOlderForm('UserUnauthorizedException', 403), { kind: 'unauthorized' }],
    ['429 with seconds', rateLimited('30'), LIMIT(30)],
    [
      '429 with a date',
      rateLimited(new Date(Date.now() + 3_600_000).toUTCString()),
      LIMIT(expect.any(Number) as never),
    ],
    ['429 with nothing', rateLimited(), LIMIT(60)],
    ['429 with an odd header', rateLimited('soon'), LIMIT(60)],
    ['429 without JSON', replies(429, '', { 'retry-after': '7' }), LIMIT(7)],
    ['complexity', fails('COMPLEXITY_BUDGET_EXHAUSTED', '', { retry_in_seconds: 12.5 }), LIMIT(13)],
    ['complexity in words', fails('ComplexityException', 'budget exhausted, reset in 9 seconds'), LIMIT(9)],
    ['concurrency', fails('maxConcurrencyExceeded'), LIMIT(5)],
    ['a field’s limit', failsInOlderForm('FIELD_LIMIT_EXCEEDED', 429, { retry_in_seconds: 15 }), LIMIT(15)],
    ['the IP’s limit', fails('IP_RATE_LIMIT_EXCEEDED', '', { retry_in_seconds: 10 }), LIMIT(10)],
    ['a block', fails('API_TEMPORARILY_BLOCKED'), LIMIT(60)],
    ['HTTP 500', FAULTS['server_error']!(0), { kind: 'outage' }],
    ['an internal error', fails('InternalServerError'), { kind: 'outage' }],
    ['HTML of a proxy', FAULTS['html']!(0), { kind: 'outage' }],
    ['HTML with 200', replies(200, '<html></html>'), { kind: 'outage' }],
    ['no body', FAULTS['empty']!(0), { kind: 'outage' }],
    ['JSON of another kind', replies(200, '[1]'), { kind: 'outage' }],
    ['data of another form', replies(200, '{"data":{"me":{"id":1},"account":null}}'), { kind: 'outage' }],
    ['no data', replies(200, '{}'), { kind: 'outage' }],
    ['a cut connection', cutsBody, { kind: 'outage' }],
    ['a cut text', cutsJson, { kind: 'outage' }],
    ['a redirect', replies(302, '', { location: 'https://example.com/' }), { kind: 'outage' }],
    ['another error', fails('ColumnValueException', 'no'), { kind: 'refused', code: 'ColumnValueException' }],
    ['an unknown form', replies(400, '{"errors":{"message":"odd"}}'), { kind: 'refused', code: '400' }],
  ])('of %s is told apart', async (_, fault, failure) => {
    fake().fault(fault, { times: 2 });
    expect((await failureOf(open().verify())).failure).toEqual(failure);
  });

  test('of a connection that is closed again and again is an outage', async () => {
    fake().fault(resetsConnection, { times: 4 });
    expect(await kindOf(open().verify())).toBe('outage');
  });

  test('of a day’s limit lasts until midnight UTC, and is not waited for', async () => {
    fake().fault(FAULTS['daily_limit']!(0));
    const session = open(100_000);
    const day = 86_400;
    const second = () => Math.floor(Date.now() / 1_000);
    const before = second();
    const { failure, message } = await failureOf(session.verify());
    const after = second();
    expect(failure).toMatchObject({ kind: 'limited', is_daily: true });
    const { retry_in_seconds } = failure as Failure & { kind: 'limited' };
    const midnight = Math.ceil((before + retry_in_seconds) / day) * day;
    expect(midnight).toBeLessThanOrEqual(after + retry_in_seconds);
    expect(retry_in_seconds).toBeLessThanOrEqual(day);
    expect(message).toContain('midnight UTC');
    expect(session.calls).toBe(1);
  });

  test('that a pause ends is asked again, once, and each call counts', async () => {
    const session = open(1);
    fake().fault(rateLimited('0'));
    expect(await session.verify()).toMatchObject({ slug: 'harbour-restaurants' });
    expect(session.calls).toBe(2);
    fake().fault(fails('maxConcurrencyExceeded', '', { retry_in_seconds: 0 }), { times: 2 });
    expect(await kindOf(session.verify())).toBe('limited');
    expect(session.calls).toBe(4);
    fake().fault(FAULTS['html']!(0));
    await session.verify();
    expect(session.calls).toBe(6);
    expect(fake().seen).toHaveLength(6);
  });

  test('is not asked again when the pause is longer than the caller waits, or than its request lasts', async () => {
    const session = open(10_000);
    fake().fault(rateLimited('10001'));
    expect(await kindOf(session.verify())).toBe('limited');
    fake().fault(rateLimited('9000'));
    const scope = { ...newScope(), deadline: performance.now() + 3_600_000 };
    expect(await inRequest(() => kindOf(session.verify()), scope)).toBe('limited');
    expect(session.calls).toBe(2);
  });

  test('of a slow answer is an outage, and is not asked again', async () => {
    fake().fault(async () => {});
    const session = open();
    const scope = { ...newScope(), deadline: performance.now() + 200 };
    expect(await inRequest(() => kindOf(session.verify()), scope)).toBe('outage');
    expect(session.calls).toBe(1);
  });

  test('of rights to one thing is not one of the token', async () => {
    fake().fault(
      alters(() => ({
        data: { boards: [null] },
        errors: [
          {
            message: 'no',
            path: ['boards', 0],
            extensions: { code: 'UserUnauthorizedException', status_code: 403 },
          },
        ],
      })),
    );
    expect((await failureOf(open().board(BOARD))).failure).toEqual({
      kind: 'refused',
      code: 'UserUnauthorizedException',
    });
  });

  test('of the whole list is not an empty list', async () => {
    const error = {
      message: 'x',
      path: ['boards', 0, 'items_page'],
      extensions: { code: 'InternalServerError' },
    };
    for (const boards of [null, [null], [{ items_page: null }]]) {
      fake().fault(
        alters(() => ({ data: { boards }, errors: [error] })),
        { times: 2 },
      );
      expect(await kindOf(Array.fromAsync(open().items({ board_id: BOARD })))).toBe('outage');
    }
  });

  test('never tells the token, even if monday.com repeats it', async () => {
    const echo: Fault[] = [
      fails('ColumnValueException', `Bad token ${TOKEN}`),
      replies(400, JSON.stringify({ errors: [`Bad token ${TOKEN}`] })),
      replies(502, `<html>${TOKEN}</html>`),
      alters((body) => ({
        ...body,
        data: { me: { id: '1' }, account: { id: '1', name: TOKEN, slug: TOKEN } },
      })),
      resetsConnection,
      rateLimited('50'),
    ];
    for (const fault of echo) {
      fake().reset();
      fake().fault(fault, { times: 2 });
      expect(await revealedBy(() => open().verify(), TOKEN)).toEqual([]);
    }
  });
});

describe('an answer with gaps', () => {
  const withGap = (path: (string | number)[]): Fault =>
    alters((body) => ({
      ...body,
      errors: [{ message: 'not now', path, extensions: { code: 'InternalServerError' } }],
    }));

  test('says which item they are of', async () => {
    const path = ['boards', 0, 'items_page', 'items', 3, 'column_values', 1, 'text'];
    fake().fault(withGap(path));
    const [page] = await Array.fromAsync(open().items({ board_id: BOARD }));
    expect(page!.rows).toHaveLength(24);
    expect(page!.gaps).toEqual([
      { item_id: page!.rows[3]!.id, code: 'InternalServerError', message: 'not now' },
    ]);
  });

  test('is refused where half of it would mislead', async () => {
    fake().fault(withGap(['boards', 0, 'columns', 2]));
    expect(await kindOf(open().columns(BOARD))).toBe('outage');
    fake().fault(withGap(['items', 0, 'subitems', 0]));
    expect(await kindOf(open().children(`${BOARD}000000`))).toBe('outage');
  });
});

describe('a list of items', () => {
  const pagesOf = async (session = open(), limit = 10) =>
    Array.fromAsync(session.items({ board_id: BOARD }, { limit }));

  test('begins again without harm when its cursor has expired', async () => {
    const session = open();
    const [{ next } = { next: null }] = await pagesOf(session);
    fake().wait(61 * 60_000);
    const rest = Array.fromAsync(session.items({ board_id: BOARD }, { cursor: next! }));
    expect(await kindOf(rest)).toBe('cursor_expired');
    expect((await pagesOf(session)).flatMap(({ rows }) => rows)).toHaveLength(24);
  });

  test('goes on when an item vanishes between two pages', async () => {
    const gone = fake().account.boards[0]!.items[15]!;
    const ids: string[] = [];
    for await (const { rows } of open().items({ board_id: BOARD }, { limit: 10 })) {
      ids.push(...rows.map(({ id }) => id));
      gone.state = 'deleted';
    }
    expect(ids).toHaveLength(23);
    expect(ids).not.toContain(gone.id);
    expect(await kindOf(open().item(gone.id))).toBe('not_found');
    gone.state = 'active';
  });

  test('has smaller pages where a page would be too complex or too large', async () => {
    const complex = fails(
      'ComplexityException',
      'Query has complexity of 9000000, which exceeds max complexity of 5000000',
    );
    fake().fault(complex, { times: 2, after: 1 });
    const pages = await pagesOf();
    expect(pages.map(({ rows }) => rows.length)).toEqual([10, 3, 3, 3, 3, 2]);
    fake().fault(complex, { times: 100 });
    expect(await kindOf(pagesOf())).toBe('refused');
    fake().reset();
    fake().fault(replies(200, `{"data":"${'x'.repeat(16_000_000)}"}`));
    expect((await pagesOf()).map(({ rows }) => rows.length)).toEqual([5, 5, 5, 5, 4]);
  });

  test('of 1,200 takes three calls, and 2,400 subitems twelve', async () => {
    fake().account.boards.push(...placesBoard('5001001', { name: 'Many', items: 1_200 }));
    const session = open();
    const items = await Array.fromAsync(session.items({ board_id: '5001001', column_ids: ['status'] }));
    expect([session.calls, items.flatMap(({ rows }) => rows).length]).toEqual([3, 1_200]);
    const below = open();
    const subitems = await Array.fromAsync(below.items({ board_id: '5001001', level: 'subitem' }));
    expect([below.calls, subitems.flatMap(({ rows }) => rows).length]).toEqual([12, 2_400]);
    fake().account.boards.splice(-2);
  });

  test('of boards leaves out documents and the boards of subitems, wherever the pages end', async () => {
    const names = (await Array.fromAsync(open().boards({}, { limit: 2 }))).map(({ rows }) =>
      rows.map(({ name }) => name),
    );
    expect(names).toEqual([['Restaurants'], ['Clients', 'Answers of the kitchen checklist'], ['Staff'], []]);
    const inWorkspace = await Array.fromAsync(open().boards({ workspace_id: '7001' }));
    expect(inWorkspace.flatMap(({ rows }) => rows).map(({ name }) => name)).toEqual(['Restaurants']);
  });
});

describe('the columns of monday.com', () => {
  const named = { id: 'c', title: 'C', description: null, archived: false, settings_str: null };
  const column = (type: string, settings: unknown, former: string | null = null) =>
    columnsOf([{ ...named, type, settings, settings_str: former }])[0]!.options;
  const option = (label: string, color: string | null = null) => ({ value: label, label, color });

  test('have the options of their settings, in the order that people see', () => {
    const labels = [
      { id: 1, index: 2, label: 'Done' },
      { id: 2, index: 1, label: 'Stuck', is_deactivated: true },
      { id: 0, index: 0, label: 'Working on it' },
      { id: 5, index: 5, label: '' },
    ];
    expect(column('status', { labels })).toEqual([option('Working on it'), option('Done')]);
    expect(column('status', JSON.stringify({ labels }))).toHaveLength(2);
    expect(
      column('dropdown', {
        labels: [
          { id: 1, name: 'Greek' },
          { id: 2, name: 'Thai' },
        ],
      }),
    ).toEqual([option('Greek'), option('Thai')]);
    const former = {
      labels: { '0': 'Working', '1': 'Done', '5': '' },
      labels_positions_v2: { '0': 1, '1': 0 },
      labels_colors: { '1': { color: '#00c875', border: '#00b461' } },
    };
    expect(column('status', former)).toEqual([option('Done', '#00c875'), option('Working')]);
    // The newer form has no colors but names and numbers of its own.
    expect(column('status', { labels }, JSON.stringify(former))).toEqual([
      option('Working on it'),
      option('Done', '#00c875'),
    ]);
    const odd = { labels_colors: { '0': { color: 'red' }, '1': { color: 3 }, '2': null } };
    expect(column('status', { labels }, JSON.stringify(odd)).map(({ color }) => color)).toEqual([null, null]);
  });

  test('have the colors that the account shows', async () => {
    const columns = await open().columns(BOARD);
    expect(columns.find(({ id }) => id === 'status')?.options).toEqual([
      option('Open', '#fdab3d'),
      option('Under repair', '#00c875'),
      option('Closed', '#df2f4a'),
    ]);
  });

  test.each([
    null,
    undefined,
    7,
    'not JSON',
    '',
    [],
    {},
    { labels: 'x' },
    { labels: [null, 3, { label: 4 }] },
  ])('have none where the settings are %j', (settings) => {
    expect(column('status', settings)).toEqual([]);
    const subtasks = { ...named, type: 'subtasks', settings };
    expect(subitemBoardOf([subtasks])).toBeUndefined();
  });

  test('lead to the board of subitems, in any form of the settings', () => {
    for (const settings of [
      { boardIds: [12] },
      { boardIds: ['12'] },
      '{"boardIds":[12]}',
      { board_ids: [12, 13] },
    ]) {
      const subtasks = { ...named, type: 'subtasks', settings };
      expect(subitemBoardOf([subtasks])).toBe('12');
    }
  });
});

describe('the values of monday.com', () => {
  const valuesOf = async (item: string) => {
    const { values } = await open().item(item);
    return Object.fromEntries(values.map((value) => [value.column_id, value]));
  };

  test('are as people see them, and structured', async () => {
    const values = await valuesOf(`${BOARD}000001`);
    const shown = Object.fromEntries(Object.entries(values).map(([id, { text }]) => [id, text]));
    expect(shown).toEqual({
      name: 'Blue Door 1',
      subitems: null,
      status: 'Open',
      address: '2 Mill Lane, Bristol',
      kind: 'restaurant',
      cuisine: 'Italian',
      seats: '21',
      phone: '+441174960001',
      email: 'restaurant1@example.com',
      manager: 'Luca Moretti',
      client: 'Mill Lane Foods',
      client_name: 'Mill Lane Foods',
      inspected: '2026-09-14',
      zone: 'Europe/London',
      label: 'Restaurant 1',
      delivery: null,
    });
    expect(values['address']!.value).toEqual({
      lat: 51.401,
      lng: -2.599,
      address: '2 Mill Lane, Bristol',
      country: 'United Kingdom',
    });
    expect(values['status']!.value).toEqual({ label: 'Open', index: 0, color: '#fdab3d' });
    expect(values['manager']!.value).toEqual({ persons_and_teams: [{ id: '2002', kind: 'person' }] });
    expect(values['client']!.value).toEqual({ linked_item_ids: ['4001002000001'] });
    expect(values['delivery']!.value).toBe(false);
    expect(values['inspected']!.value).toEqual({ date: '2026-09-14' });
  });

  test('fill the fields that their columns can fill', async () => {
    const values = await valuesOf(`${BOARD}000002`);
    const read = (id: string, type: Parameters<typeof monday.fieldValue>[1]) =>
      monday.fieldValue(values[id]!, type);
    expect(read('address', 'latitude')).toBe(51.402);
    expect(read('address', 'longitude')).toBe(-2.598);
    expect(read('address', 'address')).toBe('3 Station Street, Bristol');
    expect(read('seats', 'number')).toBe(22);
    expect(read('seats', 'latitude')).toBe(22);
    expect(read('email', 'email')).toBe('restaurant2@example.com');
    expect(read('phone', 'phone')).toBe('+441174960002');
    expect(read('zone', 'timezone')).toBe('Europe/London');
    expect(read('delivery', 'boolean')).toBe(true);
    expect(read('client_name', 'reference')).toBe('Abbey Kitchens');
    expect(read('name', 'text')).toBe('Copper Pot 1');
    expect([read('status', 'color'), read('status', 'text')]).toEqual(['#00c875', 'Under repair']);
    expect(read('kind', 'number')).toBeNull();
    expect(read('kind', 'email')).toBeNull();
    expect(read('phone', 'number')).toBeNull();
  });

  test.each([
    ['1e3', null],
    ['12', 12],
    [' -1.5 ', -1.5],
    ['', null],
    ['Infinity', null],
    ['0x10', null],
    ['1,000', null],
  ])('are the number %j only if they are written so', (text, number) => {
    expect(monday.fieldValue({ column_id: 'c', type: 'text', text, value: text }, 'number')).toBe(number);
  });

  test.each([
    ['90.1', 'latitude', null],
    ['-90', 'latitude', -90],
    ['180.5', 'longitude', null],
    ['180', 'longitude', 180],
    ['Yes', 'boolean', true],
    ['0', 'boolean', false],
    ['maybe', 'boolean', null],
    ['a@b', 'email', 'a@b'],
  ] as const)('read %j as %s', (text, type, read) => {
    expect(monday.fieldValue({ column_id: 'c', type: 'text', text, value: text }, type)).toBe(read);
  });

  test('have nothing that cannot be stored', () => {
    const reply = { id: 'c', type: 'long_text', value: '{"text":', display_value: null } as never;
    expect(itemValueOf({ ...(reply as object), text: 'plain' } as never)).toEqual({
      column_id: 'c',
      type: 'long_text',
      text: 'plain',
      value: '{"text":',
    });
  });
});
