import * as syncSource from '../../functions/workers/sync-source.ts';
import { type Fault, impatient, installFaults, on, timeout, withFault } from '../support/faults.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newConnection, newSource, syncTasks, work } from './fixtures.ts';
import { GOOD_TOKEN, useMemoryVendor } from './memory-vendor.ts';

installFaults();
impatient();

let person: Person;

beforeEach(async () => {
  useMemoryVendor().put('b', { i1: { name: 'Site 1' } });
  person = await newPerson('Harbour');
});

describe('KMS that does not answer', () => {
  const silent: Fault = async () => {
    throw timeout();
  };
  const withoutKms = <Result>(work: () => Promise<Result>): Promise<Result> =>
    withFault(
      on(({ client }) => client === 'KMSClient', silent),
      work,
    );

  test('503 for a new connection and for a rotation, and nothing has changed', async () => {
    const connection = await newConnection(person);
    const body = { vendor: 'monday', title: 'Quay', credential: { api_token: GOOD_TOKEN } };
    const rotate = () =>
      person.try.integrations.updateConnection({
        params: { connection_id: connection.id },
        body: { credential: { api_token: GOOD_TOKEN } },
      });
    const refused = await withoutKms(() => person.try.integrations.createConnection({ body }));
    expect(refused).toMatchObject({ status: 503, body: { detail: expect.any(String) } });
    expect((await withoutKms(rotate)).status).toBe(503);
    expect(await person.integrations.listConnections({})).toEqual([connection]);
    expect(await newConnection(person)).toMatchObject({ status: connection.status });
  });

  test('leaves a sync to its next delivery, which brings everything', async () => {
    const source = await newSource(person);
    await person.integrations.startSync({ params: { source_id: source.id } });
    const [task] = await syncTasks(person);
    expect(await withoutKms(() => deliver(syncSource.handler, task!))).toBe(false);
    expect(
      await person.integrations.getConnection({ params: { connection_id: source.connection_id } }),
    ).toMatchObject({ status: 'active', last_error: null });
    expect(await work(person)).toBe(true);
    expect(await person.locations.list({})).toMatchObject([{ name: 'Site 1' }]);
  });
});
