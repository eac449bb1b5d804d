import { handler } from '../../functions/workers/delete-remains.ts';
import * as errors from '../../shared/base/errors.ts';
import { ClientAccount } from '../../shared/schemas/client-account.ts';
import type { OutboxTask } from '../../shared/table/entities/machinery.ts';
import { keys } from '../../shared/table/keys.ts';
import { usageOf } from '../../shared/table/usage.ts';
import { deleteRemains } from '../../shared/upkeep/remains.ts';
import { answer, newInspection, sortKeys, startedInspection } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { as } from '../support/call.ts';
import { uuid } from '../support/content.ts';
import { waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { newClientAccount } from './scenarios.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Harbour');
});

const get = (id: string, by = person) => as(by).try.clientAccounts.get({ params: { ca_id: id } });
const remove = (id: string, query = {}, by = person) =>
  as(by).try.clientAccounts.delete({ params: { ca_id: id }, query });

const tasksOf = async ({ caller }: Person): Promise<OutboxTask[]> =>
  (await waitingTasks(caller)).filter(({ outbox }) => outbox === 'cleanup');

/** Delivers an organization's tasks to the worker, as the queue does. @returns how many of them failed */
const runWorker = async (owner: Person, tasks?: OutboxTask[]): Promise<number> => {
  const Records = (tasks ?? (await tasksOf(owner))).map((task) => ({
    messageId: task.id,
    body: JSON.stringify(task),
    attributes: { ApproximateReceiveCount: '1' },
  }));
  const { batchItemFailures } = await handler({ Records } as never);
  return batchItemFailures.length;
};

describe('POST /client-accounts', () => {
  test.each(['0 0% 0%', '9 9% 9%', '210 80% 40%', '359 99% 10%', '360 100% 100%'])(
    '201 with the colour %s',
    async (brand_primary) => {
      const body = { name: 'Acme', brand_primary };
      const answer = await person.try.clientAccounts.create({ body });
      expect([answer.status, answer.body.brand_primary]).toEqual([201, brand_primary]);
    },
  );

  test.each(['838 50% 50%', '361 50% 50%', '0 833% 0%', '0 0% 101%', '-1 0% 0%', '01 0% 0%', '1.5 0% 0%'])(
    '422 for the colour %s',
    async (brand_primary) => {
      const { status } = await person.try.clientAccounts.create({
        body: { name: 'Acme', brand_primary },
      });
      expect(status).toBe(422);
    },
  );

  test('201 with defaults', async () => {
    const { status, body } = await person.try.clientAccounts.create({
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

  test('409 for an external_ref in use, 201 in another organization', async () => {
    await newClientAccount(person, { external_ref: 'crm-1' });
    const request = { body: { name: 'X', external_ref: 'crm-1' } };
    expect((await person.try.clientAccounts.create(request)).status).toBe(409);
    const other = await newPerson('Quay');
    expect((await other.try.clientAccounts.create(request)).status).toBe(201);
  });
});

describe('GET /client-accounts', () => {
  test('200 by tags and metadata, at once and page by page', async () => {
    const other = await newPerson('Labels');
    const north = await newClientAccount(other, { tags: ['Key', 'eu'], metadata: { segment: 'A' } });
    const south = await newClientAccount(other, { tags: ['key'], metadata: { segment: 'B' } });
    await newClientAccount(other, { tags: ['small'] });
    const ids = async (query: Record<string, string | number>): Promise<string[]> =>
      (await other.clientAccounts.list({ query })).map(({ id }: { id: string }) => id);
    expect(await ids({ tag: 'KEY' })).toEqual([north.id, south.id]);
    expect(await ids({ tag: 'key', 'metadata.segment': 'B' })).toEqual([south.id]);
    expect(await ids({ tag: 'key', limit: 1 })).toEqual([north.id]);
    const params = { ca_id: south.id };
    const { metadata } = await other.clientAccounts.update({ params, body: { metadata: { segment: null } } });
    expect([metadata, await ids({ 'metadata.segment': 'B' })]).toEqual([{}, []]);
  });

  test('200 with the number of locations of each account, at once and page by page', async () => {
    const other = await newPerson('Counts');
    const accounts = [];
    for (const count of [0, 3, 1]) {
      const { id } = await newClientAccount(other);
      for (let each = 0; each < count; each += 1) await newLocation(other, { client_account_id: id });
      accounts.push({ id, locations_count: count });
    }
    const all: ClientAccount[] = await as(other.readOnlyKey).clientAccounts.list();
    expect(all.map(({ id, locations_count }) => ({ id, locations_count }))).toEqual(accounts);
    const { headers, body } = await other.try.clientAccounts.list({ query: { limit: 2 } });
    const next = new URLSearchParams(/\?([^>]*)>/.exec(headers['link']!)![1]);
    const rest = await other.clientAccounts.list({ query: Object.fromEntries(next) });
    expect([...body, ...rest]).toEqual(all);
  });
});

describe('PATCH /client-accounts/{ca_id}', () => {
  test('200, and a contact is merged, null clears a field, and nothing else changes', async () => {
    const { id } = await newClientAccount(person, { notes: 'Gate 3', contact: { name: 'Ada', phone: '1' } });
    const before = (await get(id)).body;
    const params = { ca_id: id };
    const body = await person.clientAccounts.update({
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
    expect(await person.clientAccounts.update({ params, body: {} })).toEqual(body);
  });
});

describe('DELETE /client-accounts/{ca_id}', () => {
  test('204, and the account is deleted at once, nothing new can refer to it, and a worker deletes its locations', async () => {
    const other = await newPerson('Parting');
    const { id: client_account_id } = await newClientAccount(other, { external_ref: 'crm-9' });
    const parent = await newLocation(other, { client_account_id });
    await newLocation(other, { client_account_id, parent_id: parent.id, external_ref: 'site-9' });
    const stays = await newLocation(other);

    expect((await remove(client_account_id, {}, other)).status).toBe(204);
    expect((await get(client_account_id, other)).status).toBe(404);
    expect((await remove(client_account_id, {}, other)).status).toBe(404);
    await newClientAccount(other, { external_ref: 'crm-9' });
    const late = await other.try.locations.create({ body: { name: 'X', client_account_id } });
    expect([late.status, late.body.detail]).toEqual([
      400,
      errors.referenceNotFound('client_account_id').detail,
    ]);

    expect(await runWorker(other)).toBe(0);
    expect(await other.locations.list()).toEqual([stays]);
    expect((await other.try.locations.get({ params: { location_id: parent.id } })).status).toBe(404);
    expect(await usageOf(other.caller, 'CLIENT', client_account_id)).toEqual({
      assets: 0,
      certificates: 0,
      inspections: 0,
      issues: 0,
      kept: 0,
      regions: 0,
      locations: 0,
      schedules: 0,
    });
    await newLocation(other, { external_ref: 'site-9' });
  });

  test('409 while inspections belong to the account, and nothing changes', async () => {
    const { id: client_account_id } = await newClientAccount(person);
    await newInspection(person, { client_account_id });
    const { status, body } = await remove(client_account_id);
    expect([status, body.detail]).toEqual([
      409,
      errors.stillUsed('The client account has inspections, issues or schedules').detail,
    ]);
    expect((await get(client_account_id)).status).toBe(200);
    await newLocation(person, { client_account_id });
  });

  test('204 with cascade, and its inspections in any status are deleted with all their rows, but no others', async () => {
    const other = await newPerson('Cascade');
    const { id: client_account_id } = await newClientAccount(other);
    const { id: location_id } = await newLocation(other, { client_account_id });
    const scheduled = await newInspection(other, { client_account_id, location_id });
    const started = await startedInspection(other, { client_account_id });
    await answer(other, started, uuid(2), 'done');
    const stays = await newInspection(other);

    expect((await remove(client_account_id, { cascade: true }, other)).status).toBe(204);
    expect((await get(client_account_id, other)).status).toBe(404);
    expect(await runWorker(other)).toBe(0);
    for (const { id } of [scheduled, started]) {
      expect((await other.try.inspections.get({ params: { inspection_id: id } })).status).toBe(404);
      expect(await sortKeys(other, keys.below(other.caller, 'INSPECTION', id))).toEqual([]);
    }
    const left = await other.inspections.list();
    expect(left.map(({ id }: { id: string }) => id)).toEqual([stays.id]);
    expect(await other.locations.list()).toEqual([]);
    expect(await usageOf(other.caller, 'CLIENT', client_account_id)).toEqual({
      assets: 0,
      certificates: 0,
      inspections: 0,
      issues: 0,
      kept: 0,
      regions: 0,
      locations: 0,
      schedules: 0,
    });
  });

  test('204, and the worker may receive the task twice, in parallel, or be interrupted', async () => {
    const other = await newPerson('Again');
    const { id: client_account_id } = await newClientAccount(other);
    await Promise.all(Array.from({ length: 30 }, () => newLocation(other, { client_account_id })));
    await remove(client_account_id, {}, other);
    const [task] = await tasksOf(other);
    await deleteRemains(other.caller, { client_account_id }, Date.now() - 1);
    expect(await other.locations.list()).toHaveLength(5);
    const tasks = await tasksOf(other);
    expect(tasks.map(({ data }) => data)).toEqual([{ client_account_id }, { client_account_id }]);
    expect(await runWorker(other, [task!, ...tasks])).toBe(0);
    expect(await other.locations.list()).toEqual([]);
    expect(await runWorker(other, [task!])).toBe(0);
  });

  test('204 in parallel with twenty new locations, and none is left without its account', async () => {
    const other = await newPerson('Race');
    for (let round = 0; round < 3; round += 1) {
      const { id: client_account_id } = await newClientAccount(other);
      const [deleted, ...created] = await Promise.all([
        remove(client_account_id, {}, other),
        ...Array.from({ length: 20 }, () =>
          other.try.locations.create({ body: { name: 'Bay', client_account_id } }),
        ),
      ]);
      expect(deleted.status).toBe(204);
      expect(created.filter(({ status }) => status !== 201 && status !== 400)).toEqual([]);
      expect(await runWorker(other)).toBe(0);
      expect(await other.locations.list()).toEqual([]);
    }
  });

  test('204 or 409 in parallel with twenty new inspections, and none is left without its account', async () => {
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

  test('404 for an account of another organization', async () => {
    const { id } = await newClientAccount(await newPerson('Quay'));
    expect((await remove(id, { cascade: true })).status).toBe(404);
  });
});

describe('GET /client-accounts?q=', () => {
  test('200 with the accounts whose name or reference has a part, whatever its case, page by page', async () => {
    const owner = await newPerson('Owner of names');
    const [port, , reference] = [
      await newClientAccount(owner, { name: 'Port of Odesa', tags: ['sea'] }),
      await newClientAccount(owner, { name: 'Airfield' }),
      await newClientAccount(owner, { name: 'Depot', external_ref: 'PORT-7' }),
    ];
    const found = async (query: Record<string, string>) =>
      (await owner.clientAccounts.list({ query })).map(({ id }: { id: string }) => id);
    expect(await found({ q: 'port' })).toEqual([port.id, reference.id]);
    expect(await found({ q: 'oF oD' })).toEqual([port.id]);
    expect(await found({ q: 'port', tag: 'sea' })).toEqual([port.id]);
    expect(await found({ q: 'harbour' })).toEqual([]);
    const first = await owner.try.clientAccounts.list({ query: { q: 'port', limit: '1' } });
    const next = new URL(/<(.*)>/.exec(first.headers['link']!)![1]!).searchParams;
    expect(await found(Object.fromEntries(next))).toEqual([reference.id]);
  });
});
