import * as getIntegrationStatus from '../../functions/integrations/get-integration-status.ts';
import * as getItem from '../../functions/integrations/get-item.ts';
import * as listColumns from '../../functions/integrations/list-columns.ts';
import * as listIntegrationActivity from '../../functions/integrations/list-integration-activity.ts';
import * as listItemChildren from '../../functions/integrations/list-item-children.ts';
import * as listItems from '../../functions/integrations/list-items.ts';
import * as listSubitemColumns from '../../functions/integrations/list-subitem-columns.ts';
import {
  cutsBody,
  cutsJson,
  fails,
  type Fault,
  FAULTS,
  rateLimited,
  replies,
} from '../../infra/local/monday/faults.ts';
import { PAUSE } from '../../shared/integrations/monday/client.ts';
import { type Answer, as, locs } from '../support/call.ts';
import { contentWith, field } from '../support/content.ts';
import { useMonday } from '../support/monday.ts';
import { newPerson, type Person } from '../support/people.ts';
import { draftedFamily } from '../templates/fixtures.ts';
import { newConnection } from './fixtures.ts';

Object.assign(PAUSE, { after_outage: 0 });

const fake = useMonday();
const PLACES = '4001001';
const UNKNOWN = '4999999';

let person: Person;
let params: { connection_id: string };
beforeEach(async () => {
  person = await newPerson('Errors');
  params = { connection_id: (await newConnection(person, { credential: { api_token: fake().token } })).id };
  fake().reset();
});

const columns = () => person.try.integrations.listColumns({ params, query: { board_id: PLACES } });
const codeOf = ({ status, headers }: Answer) => [status, headers['x-error-code']];
const shown = () => person.integrations.getConnection({ params });

describe('GET /integrations/connections/{connection_id}/columns', () => {
  test('409 for a credential that the vendor refuses, and the connection has the status error', async () => {
    fake().fault(FAULTS['unauthorized']!(0));
    expect(codeOf(await columns())).toEqual([409, 'connection_refused']);
    expect(await shown()).toMatchObject({ status: 'error', last_error: { code: 'unauthorized' } });
  });

  test.each<[string, (seconds: number) => Fault]>([
    ['the rate limit', (seconds) => rateLimited(String(seconds))],
    ['the limit of complexity', FAULTS['complexity']!],
  ])('200 after one wait for %s, and 503 when the wait is too long or not enough', async (_, limit) => {
    fake().fault(limit(0));
    expect((await columns()).status).toBe(200);
    expect(fake().seen).toHaveLength(2);
    fake().reset();
    fake().fault(limit(0), { times: 2 });
    expect(codeOf(await columns())).toEqual([503, 'unavailable']);
    expect(fake().seen).toHaveLength(2);
    fake().reset();
    fake().fault(limit(11));
    const { body } = await columns();
    expect(body).toEqual({ detail: 'monday.com is briefly unavailable. Try again.' });
    expect(fake().seen).toHaveLength(1);
    expect((await shown()).status).toBe('active');
  });

  test.each<[string, Fault]>([
    ['an error of the server', FAULTS['server_error']!(0)],
    ['HTML', FAULTS['html']!(0)],
    ['an empty body', FAULTS['empty']!(0)],
    ['a body that ends with its connection', cutsBody],
    ['a body that ends early', cutsJson],
    ['a limit of the day', FAULTS['daily_limit']!(0)],
    ['an object of another form', replies(200, '{"data":{"boards":"none"}}')],
  ])('503 for %s', async (_, fault) => {
    fake().fault(fault, { times: 2 });
    expect(codeOf(await columns())).toEqual([503, 'unavailable']);
    expect((await shown()).status).toBe('active');
  });

  test('409 for a refusal, without the words of the vendor', async () => {
    const words = '<script>alert("x")</script>';
    fake().fault(fails('ColumnValueException', words));
    const refused = await columns();
    expect(codeOf(refused)).toEqual([409, 'vendor_refused']);
    expect(refused.body.detail).toContain('ColumnValueException');
    expect(refused.text).not.toContain('script');
    fake().fault(fails(words, words));
    expect((await columns()).text).not.toContain('script');
  });
});

describe('GET /integrations/connections/{connection_id}/…', () => {
  test('404 for a board or an item that the vendor does not have', async () => {
    const endpoints = [
      [listColumns, { board_id: UNKNOWN }],
      [listSubitemColumns, { board_id: UNKNOWN }],
      [listItems, { board_id: UNKNOWN, limit: 5 }],
      [getItem, { item_id: UNKNOWN }],
      [listItemChildren, { item_id: UNKNOWN }],
      [getItem, { item_id: 'no id of monday.com' }],
    ] as const;
    for (const [endpoint, query] of endpoints) {
      expect(codeOf(await as(person).call(endpoint, { params, query }))).toEqual([404, 'not_found']);
    }
  });

  test('422 for a cursor that the vendor has forgotten, and for one of another list', async () => {
    const query = { board_id: PLACES, limit: 10 };
    const first = await person.try.integrations.listItems({ params, query });
    const [, next] = /[?&]cursor=([^&>]+)/.exec(first.headers['link']!)!;
    const cursor = decodeURIComponent(next!);
    fake().wait(61 * 60_000);
    const expired = await person.try.integrations.listItems({ params, query: { ...query, cursor } });
    expect([expired.status, locs(expired)]).toEqual([422, ['query.cursor']]);
    const other = await person.try.integrations.listBoards({ params, query: { limit: 10, cursor } });
    expect([other.status, locs(other)]).toEqual([422, ['query.cursor']]);
  });
});

describe('POST /integrations/connections/{connection_id}/sources', () => {
  const create = (body: object) =>
    person.try.integrations.createSource({
      params,
      body: {
        name: 'Places',
        target_ref: 'locations',
        board_id: PLACES,
        mappings: { name: 'name' },
        ...body,
      },
    });

  test('422 names each mapping and each value that does not fit', async () => {
    const answer = await create({
      mappings: { nothing: 'name', kind: 'no_such_column', lat: 'delivery' },
      value_maps: { kind: { Bldg: 5 }, timezone: { A: 'B' } },
      identity_column: 'no_such_column',
    });
    expect(answer.status).toBe(422);
    expect(locs(answer).toSorted()).toEqual([
      'body.identity_column',
      'body.mappings.kind',
      'body.mappings.lat',
      'body.mappings.name',
      'body.mappings.nothing',
      'body.value_maps.kind.Bldg',
      'body.value_maps.timezone',
    ]);
  });

  test('422 for a target that does not exist, or that only directories have; 400 for an unknown board', async () => {
    for (const target_ref of ['planets', 'members']) {
      const answer = await create({ target_ref });
      expect([answer.status, locs(answer)]).toEqual([422, ['body.target_ref']]);
    }
    expect(codeOf(await create({ board_id: UNKNOWN }))).toEqual([400, 'vendor_id_unknown']);
  });
});

describe('GET /integrations/{vendor}/…', () => {
  test('404 for a vendor or a target that does not exist', async () => {
    for (const vendor of ['jira', 'Monday', '__proto__', 'constructor']) {
      for (const endpoint of [getIntegrationStatus, listIntegrationActivity]) {
        expect((await as(person).call(endpoint, { params: { vendor } })).status).toBe(404);
      }
      const fields = await person.try.integrations.listReferenceFields({ params: { target_ref: vendor } });
      expect(fields.status).toBe(404);
    }
  });
});

describe('POST /integrations/directory-sources/{source_id}/sync', () => {
  test('409 with the id of the sync that has not ended', async () => {
    const { id } = await person.integrations.createDirectorySource({ body: { ...params, name: 'Users' } });
    const start = () => person.try.integrations.startDirectorySync({ params: { source_id: id } });
    const first = await start();
    expect(first.status).toBe(202);
    const second = await start();
    expect(codeOf(second)).toEqual([409, 'sync_running']);
    expect(second.body.detail).toContain(first.body.id);
  });
});

describe('POST /templates/{template_id}/publish', () => {
  test('422 for a reference to a source that does not exist, or brings something else', async () => {
    const body = { name: 'Places', target_ref: 'locations', board_id: PLACES, mappings: { name: 'name' } };
    const { id } = await person.integrations.createSource({ params, body });
    const publish = async (target_ref: string, source_id: string) => {
      const content = contentWith(field(2, 'reference', { reference: { target_ref, source_id } }));
      const { draft_version_id: template_id } = await draftedFamily(person.key, { content });
      return person.try.versions.publishTemplate({ params: { template_id: template_id! } });
    };
    expect((await publish('locations', id)).status).toBe(200);
    for (const refused of [
      await publish('client_accounts', id),
      await publish('locations', params.connection_id),
    ]) {
      expect([refused.status, locs(refused)]).toEqual([
        422,
        [expect.stringMatching(/reference\.source_id$/)],
      ]);
    }
  });
});
