import * as getItem from '../../functions/integrations/get-item.ts';
import * as listBoards from '../../functions/integrations/list-boards.ts';
import * as listColumns from '../../functions/integrations/list-columns.ts';
import * as listItemChildren from '../../functions/integrations/list-item-children.ts';
import * as listItems from '../../functions/integrations/list-items.ts';
import * as listSubitemColumns from '../../functions/integrations/list-subitem-columns.ts';
import { as } from '../support/call.ts';
import { useMonday } from '../support/monday.ts';
import { newPerson, type Person } from '../support/people.ts';
import { revealedBy } from '../support/secrets.ts';
import { sync, syncDirectory } from './fixtures.ts';

const fake = useMonday();
const PLACES = '4001001';
const CLIENTS = '4001002';
const ANSWERS = '4001003';
const STAFF = '4001004';
const WRONG = 'wrong-token-0123456789';

const connect = (person: Person, api_token = fake().token) =>
  person.integrations.createConnection({
    body: { vendor: 'monday', title: 'Harbour', credential: { api_token } },
  });

const source = (person: Person, connection_id: string, body: object) =>
  person.integrations.createSource({ params: { connection_id }, body: { name: 'Rows', ...body } });

const places = {
  target_ref: 'locations',
  board_id: PLACES,
  mappings: { name: 'name', kind: 'kind', address: 'address', lat: 'address', timezone: 'zone' },
};

describe('POST /integrations/connections', () => {
  test('201 for a good token and for a bad one, which a rotation mends', async () => {
    const person = await newPerson('Rotating');
    expect(await connect(person)).toMatchObject({
      status: 'active',
      account: { id: '1001', slug: 'harbour-restaurants' },
      credential_hint: fake().token.slice(-4),
    });
    const bad = await connect(person, WRONG);
    expect(bad).toMatchObject({ status: 'error', account: null, last_error: { code: 'unauthorized' } });
    const rotate = (api_token: string) =>
      person.integrations.updateConnection({
        params: { connection_id: bad.id },
        body: { credential: { api_token } },
      });
    expect(await rotate(fake().token)).toMatchObject({ status: 'active', last_error: null });
    expect(await rotate(WRONG)).toMatchObject({ status: 'error', account: { id: '1001' } });
    const shown = await person.integrations.listConnections();
    expect(shown.map(({ status }: { status: string }) => status)).toEqual(['active', 'error']);
    const params = { vendor: 'monday' };
    expect(await person.integrations.getStatus({ params })).toMatchObject({ status: 'degraded' });
    const activity = await person.integrations.listActivity({ params });
    expect(activity.filter(({ kind }: { kind: string }) => kind === 'connection.rotated')).toHaveLength(2);
  });

  test('201, and the token is found nowhere, whatever is done with it', async () => {
    const person = await newPerson('Secret');
    const everything = async () => {
      const connection = await connect(person);
      const bad = await connect(person, WRONG);
      const params = { connection_id: connection.id };
      const answers = [
        connection,
        bad,
        await person.try.integrations.listBoards({ params }),
        await person.try.integrations.listBoards({ params: { connection_id: bad.id } }),
        await sync(person, await source(person, connection.id, places)),
      ];
      return answers;
    };
    expect(await revealedBy(everything, fake().token, person.caller.org_id)).toEqual([]);
    expect(await revealedBy(async () => connect(person, WRONG), WRONG, person.caller.org_id)).toEqual([]);
  });
});

describe('GET /integrations/connections/{connection_id}/…', () => {
  test('200 with boards, columns, items and subitems as they are at the vendor', async () => {
    const person = await newPerson('Reading');
    expect(await person.integrations.getCatalog()).toMatchObject([
      { vendor: 'monday', levels: ['item', 'subitem'], targets: expect.arrayContaining(['locations']) },
    ]);
    const params = { connection_id: (await connect(person)).id };
    const read = (endpoint: Parameters<ReturnType<typeof as>['call']>[0], query = {}) =>
      as(person).must(endpoint, { params, query });
    const boards = await read(listBoards);
    expect(boards.map(({ id }: { id: string }) => id)).toEqual([PLACES, CLIENTS, ANSWERS, STAFF]);
    expect(await read(listBoards, { q: 'CLIENT' })).toMatchObject([{ id: CLIENTS }]);
    const columns = await read(listColumns, { board_id: PLACES });
    expect(columns.map(({ id }: { id: string }) => id)).toContain('address');
    expect(await read(listSubitemColumns, { board_id: PLACES })).toMatchObject([
      { id: 'name' },
      { id: 'floor' },
      { id: 'state' },
    ]);
    expect(await read(listSubitemColumns, { board_id: CLIENTS })).toEqual([]);
    const items = await read(listItems, { board_id: PLACES });
    expect(items).toHaveLength(24);
    expect(await read(getItem, { item_id: items[3].id })).toEqual(items[3]);
    expect(await read(listItemChildren, { item_id: items[3].id })).toMatchObject([
      { parent_item_id: items[3].id },
      { parent_item_id: items[3].id },
    ]);
    const pages: unknown[] = [];
    for (let cursor: string | undefined; ;) {
      const query = { board_id: PLACES, limit: 10, ...(cursor && { cursor }) };
      const page = await person.try.integrations.listItems({ params, query });
      pages.push(...page.body);
      const [, next] = /[?&]cursor=([^&>]+)/.exec(page.headers['link'] ?? '') ?? [];
      if (next === undefined) break;
      cursor = decodeURIComponent(next);
    }
    expect(pages).toEqual(items);
  });
});

describe('POST /integrations/connections/{connection_id}/sources', () => {
  const targets: [string, object, number][] = [
    ['locations', places, 24],
    [
      'locations',
      { target_ref: 'locations', board_id: PLACES, level: 'subitem', mappings: { name: 'name' } },
      48,
    ],
    [
      'client_accounts',
      {
        target_ref: 'client_accounts',
        board_id: CLIENTS,
        mappings: { name: 'name', 'contact.name': 'contact', 'contact.email': 'email' },
      },
      3,
    ],
    [
      'response_sets',
      {
        target_ref: 'response_sets',
        board_id: ANSWERS,
        mappings: { label: 'name', value: 'value', score: 'score', is_failed: 'failed' },
      },
      3,
    ],
  ];
  test.each(targets)('201 for %s, and its rows arrive once: %#', async (target_ref, body, rows) => {
    const person = await newPerson('Targets');
    const fields = await person.integrations.listReferenceFields({ params: { target_ref } });
    expect(fields.some(({ required }: { required: boolean }) => required)).toBe(true);
    const { id } = await connect(person);
    const made = await source(person, id, body);
    expect(await sync(person, made)).toMatchObject({ status: 'succeeded', counts: { created: rows } });
    expect(await sync(person, made)).toMatchObject({ counts: { unchanged: rows, created: 0, updated: 0 } });
    const listed = await person.integrations.listSources({ params: { connection_id: id } });
    expect(listed).toMatchObject([{ id: made.id, rows_count: rows, status: 'active' }]);
    const runs = await person.integrations.listSyncRuns({ params: { source_id: made.id } });
    expect(runs.map(({ counts }: { counts: { created: number } }) => counts.created)).toEqual([0, rows]);
  });

  test('201, and what changes, goes and comes at the vendor is followed, but not if most of it goes', async () => {
    const person = await newPerson('Following');
    const made = await source(person, (await connect(person)).id, places);
    await sync(person, made);
    const [board] = fake().account.boards;
    const { items } = board!;
    const former = items[0]!.name;
    items[0]!.name = 'The New Harbour';
    items[1]!.state = 'archived';
    try {
      expect((await sync(person, made)).counts).toMatchObject({ updated: 1, unchanged: 22, deactivated: 1 });
      const named = await person.locations.list();
      expect(named.map(({ name }: { name: string }) => name)).toContain('The New Harbour');
      for (const item of items.slice(0, 20)) item.state = 'archived';
      expect(await sync(person, made)).toMatchObject({
        status: 'partial',
        error: { code: 'mass_deactivation' },
        counts: { deactivated: 0 },
      });
    } finally {
      for (const item of items) item.state = 'active';
      items[0]!.name = former;
    }
    expect((await sync(person, made)).counts).toMatchObject({ updated: 2, deactivated: 0 });
  });
});

describe('POST /integrations/directory-sources', () => {
  test('201 for the users of the account and for a board of people, who become candidates', async () => {
    const person = await newPerson('Directory');
    const connection_id = (await connect(person)).id;
    const users = await person.integrations.createDirectorySource({
      body: { connection_id, name: 'Users' },
    });
    const staff = await person.integrations.createDirectorySource({
      body: {
        connection_id,
        name: 'Staff',
        board_id: STAFF,
        mappings: { name: 'name', email: 'email', position: 'position' },
      },
    });
    expect((await syncDirectory(person, users)).counts).toMatchObject({ created: 5 });
    expect((await syncDirectory(person, staff)).counts).toMatchObject({ created: 2 });
    expect((await syncDirectory(person, staff)).counts).toMatchObject({ unchanged: 2 });
    expect(await person.integrations.listDirectorySources()).toMatchObject([
      { kind: 'users', rows_count: 5 },
      { kind: 'board', rows_count: 2 },
    ]);
    const query = { source_id: staff.id };
    const [, ben] = await person.integrations.listUserCandidates({ query });
    expect(ben).toMatchObject({ name: 'Ben Carter', status: 'new', position: 'Cleaner' });
    const ignored = await person.integrations.updateUserCandidate({
      params: { candidate_id: ben.id },
      body: { status: 'ignored' },
    });
    expect(ignored.status).toBe('ignored');
    await syncDirectory(person, staff);
    expect((await person.integrations.listUserCandidates({ query }))[1].status).toBe('ignored');
  });
});
