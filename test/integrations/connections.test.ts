import * as connect from '../../shared/integrations/connect.ts';
import {
  MAX_SOURCES,
  noteRefused,
  noteVerification,
  type Verification,
} from '../../shared/integrations/rows/connections.ts';
import { connectionRecords, sourceRecords } from '../../shared/integrations/rows/records.ts';
import * as setUp from '../../shared/integrations/sources.ts';
import type { Connection } from '../../shared/schemas/integrations/connection.ts';
import { NewSource } from '../../shared/schemas/integrations/source.ts';
import type { StoredConnection, StoredSource } from '../../shared/table/entities/integrations.ts';
import { getRow, withoutKeys } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { between, installFaults } from '../support/faults.ts';
import { commit, mailTasks } from '../support/notices.ts';
import { waitingEvents } from '../support/outbox.ts';
import { auditOf, newMember, newPerson, type Person } from '../support/people.ts';
import { newConnection, newSource, syncTasks } from './fixtures.ts';
import { GOOD_TOKEN, useMemoryVendor } from './memory-vendor.ts';

installFaults();

let person: Person;

beforeEach(async () => {
  useMemoryVendor().put('b', { i1: { name: 'Site 1' } });
  person = await newPerson('Harbour');
});

const of = ({ id }: { id: string }) => ({ params: { connection_id: id } });
const shown = (connection: { id: string }): Promise<Connection> =>
  person.integrations.getConnection(of(connection));
const stored = async ({ id }: { id: string }): Promise<StoredConnection> =>
  withoutKeys((await getRow(person.caller, connectionRecords.key(person.caller, id)))!);
const rotate = (connection: { id: string }, api_token = GOOD_TOKEN, more: object = {}) =>
  person.try.integrations.updateConnection({
    ...of(connection),
    body: { credential: { api_token }, ...more },
  });
const actions = async () =>
  (await auditOf(person)).map(({ action }) => action).filter((action) => action.startsWith('connection.'));
const events = async () =>
  (await waitingEvents(person.caller))
    .map(({ type }) => type)
    .filter((type) => type.startsWith('connection.'));
const activities = async (): Promise<string[]> =>
  (await person.integrations.listActivity({ params: { vendor: 'monday' } })).map(
    ({ kind }: { kind: string }) => kind,
  );

const REFUSAL = { code: 'unauthorized', message: 'Memory says no.', at: '2026-11-23T09:00:00.000Z' };
const REFUSED: Verification = { account: null, problem: REFUSAL };

describe('DELETE /integrations/connections/{connection_id}', () => {
  test('204: its credential is gone, its sources are paused, and what they have brought becomes local', async () => {
    const connection = await newConnection(person);
    const other = await newConnection(person);
    const here = { connection_id: connection.id };
    const sources = [
      await newSource(person, here),
      await newSource(person, { ...here, target_ref: 'client_accounts', mappings: { name: 'name' } }),
      await newSource(person, { ...here, target_ref: 'response_sets', mappings: { label: 'name' } }),
    ];
    const apart = await newSource(person, { connection_id: other.id });
    await person.integrations.deleteConnection(of(connection));

    expect(await stored(connection)).toMatchObject({
      status: 'deleted',
      credential: null,
      credential_hint: '',
      version: 2,
    });
    const paused = async ({ id }: { id: string }) =>
      (await getRow(person.caller, sourceRecords.key(person.caller, id)))!.is_paused;
    expect(await Promise.all(sources.map(paused))).toEqual([true, true, true]);
    expect(await paused(apart)).toBe(false);
    const tasks = (await syncTasks(person)).map(({ data }) => data);
    // A list stays as it is: its options are no resources.
    expect(tasks).toEqual(
      sources.slice(0, 2).map(({ id, target_ref }) => ({ what: 'detach', source_id: id, target_ref })),
    );
    expect(await person.integrations.listConnections()).toMatchObject([{ id: other.id }]);
    expect(await actions()).toEqual(['connection.created', 'connection.created', 'connection.deleted']);
    expect((await events()).at(-1)).toBe('connection.deleted');
    expect((await activities())[0]).toBe('connection.deleted');
  });

  test('204, and nothing can be done with it or with its sources any more', async () => {
    const source = await newSource(person);
    const connection = { id: source.connection_id };
    await person.integrations.deleteConnection(of(connection));
    const params = { source_id: source.id };
    const answers = [
      await person.try.integrations.getConnection(of(connection)),
      await rotate(connection),
      await person.try.integrations.deleteConnection(of(connection)),
      await person.try.integrations.updateSource({ params, body: { status: 'active' } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 409]);
    expect((await stored(connection)).credential).toBeNull();
  });

  test('409 for another version, and nothing has changed', async () => {
    const connection = await newConnection(person);
    const headers = { 'If-Match': '"2"' };
    const answer = await person.try.integrations.deleteConnection({ ...of(connection), headers });
    expect([answer.status, await shown(connection)]).toEqual([409, connection]);
  });
});

describe('PATCH /integrations/connections/{connection_id}', () => {
  test('200 with another credential says so everywhere, and 409 for another version', async () => {
    const connection = await newConnection(person);
    expect((await rotate(connection, GOOD_TOKEN, { expected_version: 7 })).status).toBe(409);
    expect((await rotate(connection, 'wrong-token-0123456789')).body).toMatchObject({
      status: 'error',
      credential_hint: '6789',
      version: 2,
    });
    expect((await rotate(connection)).body).toMatchObject({ status: 'active', last_error: null, version: 3 });
    expect(await actions()).toEqual(['connection.created', 'connection.rotated', 'connection.rotated']);
    expect(await events()).toEqual(['connection.created', 'connection.updated', 'connection.updated']);
    expect(await activities()).toEqual([
      'connection.verified',
      'connection.rotated',
      'connection.failed',
      'connection.rotated',
      'connection.verified',
      'connection.created',
    ]);
  });

  test('200 while somebody else gives it another title: neither is lost', async () => {
    const places = await between({
      prepare: () => newConnection(person),
      work: (connection) => rotate(connection),
      act: (connection) =>
        person.integrations.updateConnection({ ...of(connection), body: { title: 'Quay' } }),
      check: async (connection) =>
        expect(await shown(connection)).toMatchObject({ title: 'Quay', version: 3 }),
    });
    expect(places).toBeGreaterThan(2);
    expect((await actions()).filter((action) => action === 'connection.rotated')).toHaveLength(places + 1);
  });

  test('200 while the vendor refuses the former credential: the new one works', async () => {
    const places = await between({
      prepare: async () => {
        const connection = await newConnection(person);
        return { connection, former: (await stored(connection)).credential! };
      },
      work: ({ connection }) => rotate(connection),
      act: ({ connection, former }) => noteRefused(person.caller, connection.id, former, REFUSAL),
      check: async ({ connection }) =>
        expect(await shown(connection)).toMatchObject({ status: 'active', last_error: null }),
    });
    expect(places).toBeGreaterThan(2);
  });
});

describe('a refusal of a credential', () => {
  test('that comes after its rotation, or after the deletion, changes nothing', async () => {
    const connection = await newConnection(person);
    const former = (await stored(connection)).credential!;
    await rotate(connection);
    const before = await shown(connection);
    await noteRefused(person.caller, connection.id, former, REFUSAL);
    expect(await noteVerification(person.caller, connection.id, former, REFUSED)).toEqual(before);
    expect(await shown(connection)).toEqual(before);
    const { credential } = await stored(connection);
    await person.integrations.deleteConnection(of(connection));
    await noteRefused(person.caller, connection.id, credential!, REFUSAL);
    expect(await stored(connection)).toMatchObject({ status: 'deleted', last_error: null });
    expect(await mailTasks(person)).toEqual([]);
  });

  test.each<[string, (id: string, credential: string) => Promise<unknown>]>([
    ['a sync', (id, credential) => noteRefused(person.caller, id, credential, REFUSAL)],
    ['a check', (id, credential) => noteVerification(person.caller, id, credential, REFUSED)],
  ])(
    'in %s is told once: to the admins, and to whoever made the connection or a source',
    async (_, refuse) => {
      const creator = (await newMember(person, 'approver', 'Ada')).user_id;
      const other = (await newMember(person, 'approver', 'Ben')).user_id;
      await newMember(person, 'approver', 'Cem');
      const connection = await connect.createConnection(
        { ...person.caller, user_id: creator },
        { vendor: 'monday', title: 'Harbour', credential: { api_token: GOOD_TOKEN } },
      );
      const fields = { name: 'Sites', target_ref: 'locations', board_id: 'b', mappings: { name: 'name' } };
      await setUp.createSource({ ...person.caller, user_id: other }, connection.id, NewSource.parse(fields));
      const { credential } = await stored(connection);
      const told = async () => (await mailTasks(person)).map(({ data }) => new Set(data.user_ids));
      for (const _time of [1, 2]) {
        await refuse(connection.id, credential!);
        expect(await told()).toEqual([new Set([creator, other, person.adminId])]);
      }
      expect(await shown(connection)).toMatchObject({ status: 'error', last_error: REFUSAL });
    },
  );
});

describe('limits', () => {
  /** Writes so many copies of a row. */
  const copies = async (
    records: { key: (caller: Person['caller'], id: string) => object },
    row: StoredConnection | StoredSource,
    count: number,
  ) => {
    for (let n = 0; n < count; n += 100) {
      const some = Array.from({ length: Math.min(100, count - n) }, (_, position) => {
        const id = `${String(n + position).padStart(8, '0')}${row.id.slice(8)}`;
        return write.create({ ...row, id, ...records.key(person.caller, id) } as never);
      });
      await commit(person, some);
    }
  };

  test('409 for one connection more than 200, those included that were deleted', async () => {
    const connection = await newConnection(person);
    await person.integrations.deleteConnection(of(connection));
    await copies(connectionRecords, await stored(connection), 198);
    const body = { vendor: 'monday', title: 'Last', credential: { api_token: GOOD_TOKEN } };
    const first = await person.try.integrations.createConnection({ body });
    const second = await person.try.integrations.createConnection({ body });
    const code = second.headers['x-error-code'];
    expect([first.status, second.status, code]).toEqual([201, 409, 'too_many_connections']);
  });

  test(`409 for one source more than ${MAX_SOURCES} of a connection, and one transaction pauses them all`, async () => {
    const source = await newSource(person);
    const row = await getRow(person.caller, sourceRecords.key(person.caller, source.id));
    await copies(sourceRecords, withoutKeys(row!), MAX_SOURCES - 2);
    const params = { connection_id: source.connection_id };
    const body = { name: 'Last', target_ref: 'locations', board_id: 'b', mappings: { name: 'name' } };
    const first = await person.try.integrations.createSource({ params, body });
    const second = await person.try.integrations.createSource({ params, body });
    expect([first.status, second.status, second.headers['x-error-code']]).toEqual([
      201,
      409,
      'too_many_sources',
    ]);
    await person.integrations.deleteConnection({ params });
    expect(await syncTasks(person)).toHaveLength(MAX_SOURCES);
  });
});
