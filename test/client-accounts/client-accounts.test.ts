import * as createClientAccount from '../../functions/client-accounts/create-client-account.ts';
import * as deleteClientAccount from '../../functions/client-accounts/delete-client-account.ts';
import * as getClientAccount from '../../functions/client-accounts/get-client-account.ts';
import * as listClientAccounts from '../../functions/client-accounts/list-client-accounts.ts';
import * as updateClientAccount from '../../functions/client-accounts/update-client-account.ts';
import * as getInspection from '../../functions/inspections/get-inspection.ts';
import * as listInspections from '../../functions/inspections/list-inspections.ts';
import * as createLocation from '../../functions/locations/create-location.ts';
import * as getLocation from '../../functions/locations/get-location.ts';
import * as listLocations from '../../functions/locations/list-locations.ts';
import { handler } from '../../functions/workers/delete-remains.ts';
import { keys } from '../../shared/db/table/keys.ts';
import type { OutboxRow } from '../../shared/db/table/outbox.ts';
import { queryRows } from '../../shared/db/table/rows.ts';
import { usageOf } from '../../shared/db/table/usage.ts';
import { deleteRemains } from '../../shared/db/upkeep/remains.ts';
import { ClientAccount } from '../../shared/schemas/client-account.ts';
import { answer, begun, newInspection, sortKeys } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { call, made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { uuid } from '../templates/fixtures.ts';
import { newClientAccount } from './scenarios.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Harbour');
});

const get = (id: string, as = person) => call(getClientAccount, { as: as.key, params: { ca_id: id } });
const remove = (id: string, query = {}, as = person) =>
  call(deleteClientAccount, { as: as.key, params: { ca_id: id }, query });

const tasksOf = async ({ caller }: Person): Promise<OutboxRow[]> => {
  const rows = await Array.fromAsync(queryRows<OutboxRow>(caller, { partition: keys.outbox(caller, '').pk }));
  return rows.filter(({ outbox }) => outbox === 'cleanup');
};

/** Hands an organization's tasks to the worker, as its queue does; says how many it could not do. */
const work = async (as: Person, tasks?: OutboxRow[]): Promise<number> => {
  const Records = (tasks ?? (await tasksOf(as))).map((task) => ({
    messageId: task.id,
    body: JSON.stringify(task),
    attributes: { ApproximateReceiveCount: '1' },
  }));
  const { batchItemFailures } = await handler({ Records } as never);
  return batchItemFailures.length;
};

describe('POST /client-accounts', () => {
  test('201 with defaults', async () => {
    const { status, body } = await call(createClientAccount, {
      as: person.key,
      body: { name: ' Acme ', contact: { email: 'ada@example.com' } },
    });
    expect(status).toBe(201);
    expect(ClientAccount.parse(body)).toMatchObject({
      name: 'Acme',
      contact: { name: null, email: 'ada@example.com', phone: null },
      is_active: true,
      locations_count: 0,
    });
    expect((await get(body.id)).body).toEqual(body);
  });

  test('409 for an external_ref that is taken, 201 in another organization', async () => {
    await newClientAccount(person, { external_ref: 'crm-1' });
    const request = { body: { name: 'X', external_ref: 'crm-1' } };
    expect((await call(createClientAccount, { as: person.key, ...request })).status).toBe(409);
    const other = await newPerson('Quay');
    expect((await call(createClientAccount, { as: other.key, ...request })).status).toBe(201);
  });
});

describe('GET /client-accounts', () => {
  test('200 with the locations of each counted, whole and page by page', async () => {
    const other = await newPerson('Counts');
    const accounts = [];
    for (const count of [0, 3, 1]) {
      const { id } = await newClientAccount(other);
      for (let each = 0; each < count; each += 1) await newLocation(other, { client_account_id: id });
      accounts.push({ id, locations_count: count });
    }
    const all: ClientAccount[] = await made(listClientAccounts, { as: other.readOnlyKey });
    expect(all.map(({ id, locations_count }) => ({ id, locations_count }))).toEqual(accounts);
    const { headers, body } = await call(listClientAccounts, { as: other.key, query: { limit: 2 } });
    const next = new URLSearchParams(/\?([^>]*)>/.exec(headers['link']!)![1]);
    const rest = await made(listClientAccounts, { as: other.key, query: Object.fromEntries(next) });
    expect([...body, ...rest]).toEqual(all);
  });
});

describe('PATCH /client-accounts/{ca_id}', () => {
  test('200: a contact merges, null clears, the rest stays', async () => {
    const { id } = await newClientAccount(person, { notes: 'Gate 3', contact: { name: 'Ada', phone: '1' } });
    const before = (await get(id)).body;
    const params = { ca_id: id };
    const body = await made(updateClientAccount, {
      as: person.key,
      params,
      body: { notes: null, contact: { phone: null } },
    });
    expect(body).toEqual({
      ...before,
      notes: null,
      contact: { name: 'Ada', email: null, phone: null },
      version: 2,
      updated_at: body.updated_at,
    });
    expect(await made(updateClientAccount, { as: person.key, params, body: {} })).toEqual(body);
  });
});

describe('DELETE /client-accounts/{ca_id}', () => {
  test('204: gone at once, nothing new can name it, and its locations follow', async () => {
    const other = await newPerson('Parting');
    const { id: client_account_id } = await newClientAccount(other, { external_ref: 'crm-9' });
    const parent = await newLocation(other, { client_account_id });
    await newLocation(other, { client_account_id, parent_id: parent.id, external_ref: 'site-9' });
    const stays = await newLocation(other);

    expect((await remove(client_account_id, {}, other)).status).toBe(204);
    expect((await get(client_account_id, other)).status).toBe(404);
    expect((await remove(client_account_id, {}, other)).status).toBe(404);
    await newClientAccount(other, { external_ref: 'crm-9' });
    const late = await call(createLocation, { as: other.key, body: { name: 'X', client_account_id } });
    expect([late.status, late.body.detail]).toEqual([400, 'client_account_id does not exist']);

    expect(await work(other)).toBe(0);
    expect(await made(listLocations, { as: other.key })).toEqual([stays]);
    expect((await call(getLocation, { as: other.key, params: { location_id: parent.id } })).status).toBe(404);
    expect(await usageOf(other.caller, 'CLIENT', client_account_id)).toEqual({
      inspections: 0,
      locations: 0,
    });
    await newLocation(other, { external_ref: 'site-9' });
  });

  test('409 while inspections belong to it, and nothing happens', async () => {
    const { id: client_account_id } = await newClientAccount(person);
    await newInspection(person, { client_account_id });
    const { status, body } = await remove(client_account_id);
    expect([status, body.detail]).toEqual([409, 'client account has inspections']);
    expect((await get(client_account_id)).status).toBe(200);
    await newLocation(person, { client_account_id });
  });

  test('204 with cascade: inspections in any state go with all their rows, and only its own', async () => {
    const other = await newPerson('Cascade');
    const { id: client_account_id } = await newClientAccount(other);
    const { id: location_id } = await newLocation(other, { client_account_id });
    const scheduled = await newInspection(other, { client_account_id, location_id });
    const started = await begun(other, { client_account_id });
    await answer(other, started, uuid(2), 'done');
    const stays = await newInspection(other);

    expect((await remove(client_account_id, { cascade: true }, other)).status).toBe(204);
    expect((await get(client_account_id, other)).status).toBe(404);
    expect(await work(other)).toBe(0);
    for (const { id } of [scheduled, started]) {
      expect((await call(getInspection, { as: other.key, params: { inspection_id: id } })).status).toBe(404);
      expect(await sortKeys(other, keys.below(other.caller, 'INSPECTION', id))).toEqual([]);
    }
    const left = await made(listInspections, { as: other.key });
    expect(left.map(({ id }: { id: string }) => id)).toEqual([stays.id]);
    expect(await made(listLocations, { as: other.key })).toEqual([]);
    expect(await usageOf(other.caller, 'CLIENT', client_account_id)).toEqual({
      inspections: 0,
      locations: 0,
    });
  });

  test('204 and the worker may be told again, at once, or be interrupted', async () => {
    const other = await newPerson('Again');
    const { id: client_account_id } = await newClientAccount(other);
    await Promise.all(Array.from({ length: 30 }, () => newLocation(other, { client_account_id })));
    await remove(client_account_id, {}, other);
    const [task] = await tasksOf(other);
    await deleteRemains(other.caller, { client_account_id }, Date.now() - 1);
    expect(await made(listLocations, { as: other.key })).toHaveLength(5);
    const tasks = await tasksOf(other);
    expect(tasks.map(({ data }) => data)).toEqual([{ client_account_id }, { client_account_id }]);
    expect(await work(other, [task!, ...tasks])).toBe(0);
    expect(await made(listLocations, { as: other.key })).toEqual([]);
    expect(await work(other, [task!])).toBe(0);
  });

  test('204 against twenty new locations at once, and none is left without its account', async () => {
    const other = await newPerson('Race');
    for (let round = 0; round < 3; round += 1) {
      const { id: client_account_id } = await newClientAccount(other);
      const [deleted, ...created] = await Promise.all([
        remove(client_account_id, {}, other),
        ...Array.from({ length: 20 }, () =>
          call(createLocation, { as: other.key, body: { name: 'Bay', client_account_id } }),
        ),
      ]);
      expect(deleted.status).toBe(204);
      expect(created.filter(({ status }) => status !== 201 && status !== 400)).toEqual([]);
      expect(await work(other)).toBe(0);
      expect(await made(listLocations, { as: other.key })).toEqual([]);
    }
  }, 30_000);

  test('204 or 409 against twenty new inspections at once, never an orphan', async () => {
    const { id: client_account_id } = await newClientAccount(person);
    const { template_family_id } = await newInspection(person);
    const [deleted, ...created] = await Promise.all([
      remove(client_account_id),
      ...Array.from({ length: 20 }, () =>
        newInspection(person, { client_account_id, template_family_id }).then(
          () => true,
          () => false,
        ),
      ),
    ]);
    expect(deleted.status).toBe(created.some(Boolean) ? 409 : 204);
    expect((await get(client_account_id)).status).toBe(created.some(Boolean) ? 200 : 404);
  });

  test('404 for another organization’s', async () => {
    const { id } = await newClientAccount(await newPerson('Quay'));
    expect((await remove(id, { cascade: true })).status).toBe(404);
  });
});
