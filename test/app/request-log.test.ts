import * as requestLog from '../../shared/organizations/request-log.ts';
import type { LoggedRequest } from '../../shared/schemas/logged-request.ts';
import { keys } from '../../shared/table/keys.ts';
import { countRows } from '../../shared/table/rows.ts';
import { as, type Request } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { installFaults, withFault } from '../support/faults.ts';
import { actingKey, newMember, newPerson, onBehalfOf, type Person } from '../support/people.ts';
import { callsOf, installRecorder, recording } from '../support/recorder.ts';
import { type SignedIn, signIn } from '../support/signed-in.ts';

installRecorder();
installFaults();
const clock = useClock();

let person: Person;
let admin: SignedIn;

beforeEach(async () => {
  process.env['REQUEST_LOG'] = 'on';
  person = await newPerson('Harbour');
  admin = await signIn(person);
});

afterEach(() => {
  delete process.env['REQUEST_LOG'];
});

const listed = (query: Request['query'] = {}): Promise<LoggedRequest[]> =>
  as(admin).app.listRequests({ query });

const operations = async (query?: Request['query']): Promise<string[]> =>
  (await listed(query)).map(({ operation }) => operation);

describe('GET /app/requests', () => {
  test('200 with what a key has asked for, and nothing that was sent or replied', async () => {
    const { id } = await person.locations.create({ body: { name: 'Secret harbour' } });
    const answer = await person.try.locations.get({ params: { location_id: id } });
    const [read, created] = await listed();
    expect(read).toEqual({
      id: answer.headers['x-request-id'],
      key_id: person.caller.key_id,
      on_behalf_of: null,
      at: expect.any(String),
      duration_ms: expect.any(Number),
      operation: 'getLocation',
      method: 'GET',
      path: '/v1/locations/{location_id}',
      params: { location_id: id },
      query: {},
      status: 200,
      code: null,
      detail: null,
    });
    expect(created).toMatchObject({ operation: 'createLocation', status: 201, params: {} });
    expect(JSON.stringify([read, created])).not.toContain('Secret');
  });

  test('200 with the one request that has an id, of whatever key', async () => {
    await as(person.readOnlyKey).clientAccounts.list();
    const { headers } = await person.try.locations.list();
    await person.locations.list();
    expect(await listed({ id: headers['x-request-id']! })).toMatchObject([
      { id: headers['x-request-id'], operation: 'listLocations' },
    ]);
    expect(await listed({ id: 'another' })).toEqual([]);
  });

  test('200 with errors by their codes, without a text in the place of an id', async () => {
    await person.try.locations.get({ params: { location_id: 'a text, and not an id' } });
    await person.try.locations.get({ params: { location_id: '00000000-0000-7000-8000-000000000000' } });
    expect(await listed({ status: ['4xx'] })).toMatchObject([
      { status: 404, code: 'not_found', params: { location_id: '00000000-0000-7000-8000-000000000000' } },
      { status: 422, params: {} },
    ]);
  });

  test('200 with what an error has said, and how it was asked, but no value that was refused', async () => {
    await person.try.locations.list({
      query: { limit: 'Secret', q: 'secret', region_id: person.caller.user_id },
    });
    await person.try.locations.create({ body: { name: 'Secret', status: 'Secret harbour' } });
    await person.try.locations.get({ params: { location_id: person.caller.user_id } });
    const failed = await listed();
    expect(failed).toMatchObject([
      { status: 404, detail: 'The location does not exist.' },
      {
        status: 422,
        detail: [{ loc: ['body', 'status'], type: 'enum', msg: expect.any(String) }],
      },
      {
        status: 422,
        query: { limit: [], q: [], region_id: [person.caller.user_id] },
        detail: [{ loc: ['query', 'limit'], type: 'int_parsing', msg: expect.any(String) }],
      },
    ]);
    expect(JSON.stringify(failed)).not.toMatch(/secret/i);
  });

  test('200 with the first problems of an error that has many', async () => {
    const unknown = Object.fromEntries(
      Array.from({ length: 100 }, (_, position) => [`field_${position}`, 1]),
    );
    await person.try.locations.create({ body: { name: 'Pier', ...unknown } });
    const [{ detail }] = (await listed()) as [LoggedRequest];
    expect(JSON.stringify(detail).length).toBeLessThan(2_300);
    expect((detail as { msg: string }[]).at(-1)!.msg).toMatch(/more problems are not listed$/);
  });

  test('200 with a request for headers alone that has failed', async () => {
    await person.try.locations.get({
      method: 'HEAD',
      params: { location_id: person.caller.user_id },
    });
    expect(await listed()).toMatchObject([{ status: 404, detail: 'The location does not exist.' }]);
  });

  test('200 with the member for whom a key has acted', async () => {
    const [{ key, id }, member] = [await actingKey(person), await newMember(person, 'inspector')];
    await as(key).me.getMyProfile({ headers: onBehalfOf(member) });
    expect(await listed()).toMatchObject([{ key_id: id, on_behalf_of: member.user_id }]);
  });

  test('200 by key, status and operation, page by page', async () => {
    for (let turn = 0; turn < 3; turn += 1) {
      await person.locations.list();
      await as(person.readOnlyKey).clientAccounts.list();
    }
    await as(person.readOnlyKey).try.locations.create({ body: { name: 'Pier' } });
    expect(await operations()).toHaveLength(7);
    expect(await operations({ key_id: person.caller.key_id })).toEqual(Array(3).fill('listLocations'));
    expect(await operations({ operation: ['createLocation', 'listLocations'], status: ['2xx'] })).toEqual(
      Array(3).fill('listLocations'),
    );
    expect(await operations({ status: ['4xx', '5xx'] })).toEqual(['createLocation']);
    const pages: LoggedRequest[] = [];
    for (let cursor = ''; ;) {
      const { body, headers } = await as(admin).try.app.listRequests({ query: { limit: 3, cursor } });
      pages.push(...body);
      const [, next] = /<(.*)>/.exec(headers['link'] ?? '') ?? [];
      if (next === undefined) break;
      cursor = new URL(next).searchParams.get('cursor')!;
    }
    expect(pages).toEqual(await listed());
  });

  test('200 without requests of other organizations, and of people', async () => {
    const other = await newPerson('Quay');
    await other.locations.list();
    await as(admin).organization.get();
    expect(await listed()).toEqual([]);
    expect(await listed({ key_id: other.caller.key_id })).toEqual([]);
  });

  test('200 without requests that are a day old', async () => {
    await person.locations.list();
    clock.pass(23 * 3_600);
    admin = await signIn(person);
    expect(await operations()).toEqual(['listLocations']);
    clock.pass(3_601);
    admin = await signIn(person);
    expect(await operations()).toEqual([]);
  });
});

describe('the log of requests', () => {
  const noteAs = (request_number: number, status = 200) =>
    requestLog.note(
      { ...person.caller, access: 'read_write', request_number },
      {
        id: `request ${request_number}`,
        on_behalf_of: null,
        at: new Date(Date.now() + request_number).toISOString(),
        duration: 1,
        operation: 'listLocations',
        method: 'GET',
        path: '/v1/locations',
        params: {},
        query: {},
        status,
        code: null,
        detail: null,
      },
    );

  test('has a bounded number of rows for each key, and no success takes the place of an error', async () => {
    const { SLOTS } = requestLog;
    await noteAs(7, 404);
    for (const number of [7, 8, SLOTS + 7, 2 * SLOTS + 7]) await noteAs(number);
    const rows = { partition: keys.loggedRequest.partition(person.caller, person.caller.key_id) };
    expect(await countRows(person.caller, rows)).toBe(3);
    expect((await listed()).map(({ id, status }) => [id, status])).toEqual([
      [`request ${2 * SLOTS + 7}`, 200],
      ['request 8', 200],
      ['request 7', 404],
    ]);
  });

  test('takes one write a request, and none where the deployment keeps no log', async () => {
    const { sent: noted } = await recording(() => person.locations.list({ query: { limit: 1 } }));
    delete process.env['REQUEST_LOG'];
    const { sent } = await recording(() => person.locations.list({ query: { limit: 1 } }));
    expect(callsOf(noted)).toBe(callsOf(sent) + 1);
  });

  test.each([
    ['fails', () => Promise.reject(new Error('throttled'))],
    ['never answers', () => new Promise<never>(() => undefined)],
  ])('keeps no reply from its client when the write %s', async (_, fault) => {
    const isNote = (input: object) => JSON.stringify(input).includes('#REQUEST#');
    const { status } = await withFault(
      ({ input, send }) => (isNote(input) ? fault() : send()),
      () => person.try.locations.list(),
    );
    expect(status).toBe(200);
    expect(await listed()).toEqual([]);
  });
});
