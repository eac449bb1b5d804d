import * as startDueSyncs from '../../functions/workers/start-due-syncs.ts';
import * as syncSource from '../../functions/workers/sync-source.ts';
import { serviceOf } from '../../shared/base/caller.ts';
import { QUEUE_ATTEMPTS } from '../../shared/base/queues.ts';
import { MAX_SOURCE_ROWS } from '../../shared/domain/integrations/known-rows.ts';
import { begin, readAgain, finish, release, start } from '../../shared/integrations/rows/runs.ts';
import { continueSync, giveUpSync } from '../../shared/integrations/sync.ts';
import type { Failure } from '../../shared/integrations/vendor.ts';
import type { SyncRun } from '../../shared/schemas/integrations/run.ts';
import type { Source } from '../../shared/schemas/integrations/source.ts';
import type { Location } from '../../shared/schemas/location.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow, withoutKeys } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { installFaults, withFault } from '../support/faults.ts';
import { newMember } from '../support/notices.ts';
import { deliver, outboxOf, waitingEvents, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { scaled } from '../support/scale.ts';
import { newDirectory, newSource, runOf, sync, syncDirectory, syncTasks, work } from './fixtures.ts';
import { failing, GOOD_TOKEN, useMemoryVendor } from './memory-vendor.ts';

installFaults();

let vendor = useMemoryVendor();

beforeEach(() => {
  vendor = useMemoryVendor();
});

const locationsOf = (person: Person): Promise<Location[]> => person.locations.list({});
const sourceOf = (person: Person, id: string) => person.integrations.getSource({ params: { source_id: id } });

const items = (count: number, from = 0) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `i${String(from + n).padStart(5, '0')}`,
      { name: `Site ${from + n}`, kind: 'Bldg', where: `Street ${from + n}` },
    ]),
  );

/** Counts what the work sends to the table. */
const counting = async (doing: () => Promise<unknown>) => {
  const counts = { reads: 0, writes: 0, rowsWritten: 0 };
  await withFault(
    ({ client, command, input, send }) => {
      if (client === 'DynamoDBClient') {
        const written = input['TransactItems'] as
          | Record<string, { Item?: { pk: string; sk: string } }>[]
          | undefined;
        if (written) counts.writes += 1;
        else if (command === 'UpdateItem') counts.writes += 1;
        else counts.reads += 1;
        for (const item of written ?? []) {
          const put = item['Put']?.Item;
          if (put && /#ROW#|^ROW#/.test(put.sk)) counts.rowsWritten += 1;
        }
      }
      return send();
    },
    async () => {
      await doing();
      return {};
    },
  );
  return counts;
};

const noFaults = async ({ caller }: Person) => {
  const { found, unsettled, differences } = await checkOrganization(caller, { repair: false });
  expect({ found, unsettled, differences }).toEqual({ found: 0, unsettled: 0, differences: [] });
};

describe('a sync of locations', () => {
  test('brings every item, and changes nothing when nothing has changed', async () => {
    const person = await newPerson('First');
    const [count, pages] = [scaled(24, 120), 3];
    vendor.pageSize = scaled(10, 50);
    vendor.put('b', items(count));
    const source = await newSource(person);
    const run = await sync(person, source);
    expect([run.status, run.error, run.errors]).toEqual(['succeeded', null, []]);
    expect(run.counts).toMatchObject({ read: count, created: count, unchanged: 0, failed: 0 });
    expect(run.calls).toBe(1 + pages);
    const locations = await locationsOf(person);
    expect(locations).toHaveLength(count);
    expect(locations[0]).toMatchObject({
      name: 'Site 0',
      kind: 'Bldg',
      address: 'Street 0',
      source: 'synced',
      source_id: source.id,
      external_id: 'i00000',
    });
    const again = await sync(person, source);
    expect(again.counts).toMatchObject({ read: count, created: 0, updated: 0, unchanged: count });
    expect(await locationsOf(person)).toEqual(locations);
    expect(await sourceOf(person, source.id)).toMatchObject({
      status: 'active',
      rows_count: count,
      last_run: { status: 'succeeded' },
    });
    await noFaults(person);
  });

  test('costs no read and no write for a row that has not changed', async () => {
    const person = await newPerson('Still');
    vendor.pageSize = scaled(20, 100);
    vendor.put('b', items(scaled(60, 300)));
    const source = await newSource(person);
    await sync(person, source);
    const run: SyncRun = await person.integrations.startSync({ params: { source_id: source.id } });
    const counts = await counting(() =>
      continueSync(person.caller, source.id, run.id, Date.now() + 3_600_000),
    );
    // The run's own: it begins, notes three pages, and ends. Nothing is read for a row.
    expect(counts).toMatchObject({ writes: 1 + 3 + 1, rowsWritten: 0 });
    expect(counts.reads).toBeLessThanOrEqual(6);
  });

  test('writes only what has changed, deactivates what is missing, and brings it back', async () => {
    const person = await newPerson('Moving');
    vendor.put('b', items(30));
    const source = await newSource(person);
    await sync(person, source);
    vendor.put('b', { i00003: { name: 'Ärmel', kind: 'Yard', where: null }, ...items(1, 30) });
    vendor.take('b', 'i00001', 'i00002');
    const run = await sync(person, source);
    expect([run.status, run.counts]).toEqual([
      'succeeded',
      { read: 29, created: 1, updated: 1, unchanged: 27, deactivated: 2, failed: 0 },
    ]);
    const byName = new Map((await locationsOf(person)).map((each) => [each.name, each]));
    expect(byName.get('Ärmel')).toMatchObject({ kind: 'Yard', address: null, version: 2 });
    expect(byName.get('Site 1')).toMatchObject({ status: 'inactive' });
    // Schedules follow them.
    const followed = (await waitingTasks(person.caller)).flatMap(({ data }) => data.location_id ?? []);
    expect(new Set(followed)).toEqual(new Set([1, 2].map((n) => byName.get(`Site ${n}`)!.id)));
    expect(await sourceOf(person, source.id)).toMatchObject({ rows_count: 29 });
    vendor.put('b', items(2, 1));
    expect((await sync(person, source)).counts).toMatchObject({ updated: 2, deactivated: 0 });
    const names = (await locationsOf(person)).map(({ name, status }) => [name, status]);
    expect(names).toContainEqual(['Site 1', 'active']);
    await noFaults(person);
  });

  test('finds client accounts by external_ref and by name, and names each item that it cannot take', async () => {
    const person = await newPerson('Clients');
    const acme = await person.clientAccounts.create({ body: { name: 'Acme' } });
    const bolt = await person.clientAccounts.create({
      body: { name: 'Bolt', external_ref: 'B1' },
    });
    for (const _ of [1, 2]) await person.clientAccounts.create({ body: { name: 'Twin' } });
    vendor.put('b', {
      a: { name: 'One', code: 'acme' },
      b: { name: 'Two', code: 'B1' },
      c: { name: 'Three', code: 'Twin' },
      d: { name: 'Four', code: 'Nobody' },
      e: { name: ' ', code: null },
      f: { name: 'Six', code: null },
    });
    const mappings = { name: 'name', client_account: 'where' };
    for (const item of vendor.boards.get('b')!.values()) {
      item.values.find(({ column_id }) => column_id === 'code')!.column_id = 'where';
    }
    const source = await newSource(person, { mappings });
    const run = await sync(person, source);
    expect([run.status, run.counts.created, run.counts.failed]).toEqual(['partial', 3, 3]);
    expect(run.errors.map(({ item_id, code }) => [item_id, code])).toEqual([
      ['e', 'missing'],
      ['c', 'ambiguous'],
      ['d', 'unknown'],
    ]);
    const clients = (await locationsOf(person)).map(({ name, client_account_id }) => [
      name,
      client_account_id,
    ]);
    expect(clients).toEqual([
      ['One', acme.id],
      ['Six', null],
      ['Two', bolt.id],
    ]);
    await noFaults(person);
  });

  test('translates values, and takes rows by a column of identity, each once', async () => {
    const person = await newPerson('Identity');
    vendor.put('b', {
      a: { name: 'One', kind: 'bldg ', code: 'X1' },
      b: { name: 'Two', kind: 'Yard', code: 'X1' },
      c: { name: 'Three', kind: null, code: '' },
    });
    const source = await newSource(person, {
      identity_column: 'code',
      value_maps: { kind: { Bldg: 'building' } },
      mappings: { name: 'name', kind: 'kind' },
    });
    const run = await sync(person, source);
    expect(run.errors.map(({ item_id, code }) => [item_id, code])).toEqual([
      ['b', 'duplicate'],
      ['c', 'no_identity'],
    ]);
    expect(await locationsOf(person)).toMatchObject([{ name: 'One', kind: 'building', external_id: 'X1' }]);
  });

  test('reads subitems, and an item that comes on two pages once', async () => {
    const person = await newPerson('Subitems');
    vendor.pageSize = 2;
    vendor.put('b', items(4));
    for (const n of [1, 2, 3]) vendor.putSubitem('i00001', `s${n}`, { name: `Bay ${n}` });
    const below = await newSource(person, { level: 'subitem', mappings: { name: 'name' } });
    expect((await sync(person, below)).counts).toMatchObject({ read: 3, created: 3 });
    const source = await newSource(person);
    let isMoved = false;
    vendor.beforeCall = (what, cursor) => {
      if (what !== 'items' || cursor !== '2' || isMoved) return;
      isMoved = true;
      // A new first item moves all others behind by one: the last of page one is the first of page two.
      const others = [...vendor.boards.get('b')!];
      vendor.boards.get('b')!.clear();
      vendor.put('b', items(1, 9));
      for (const [id, item] of others) vendor.boards.get('b')!.set(id, item);
    };
    expect((await sync(person, source)).counts).toMatchObject({ read: 4, created: 4, failed: 0 });
    expect((await sync(person, source)).counts).toMatchObject({ read: 5, created: 1, unchanged: 4 });
  });
});

describe('a source with more rows than it may have', () => {
  test('is not synced, says so, and keeps what it has', async () => {
    const person = await newPerson('Too many');
    vendor.put('b', items(3));
    const source = await newSource(person);
    await sync(person, source);
    vendor.pageSize = 200_000;
    vendor.put('b', items(MAX_SOURCE_ROWS, 3));
    const run = await sync(person, source);
    expect([run.status, run.error?.code, run.counts.created]).toEqual(['failed', 'too_many_rows', 0]);
    expect(run.error?.message).toContain('more than 100,000 rows');
    expect(await sourceOf(person, source.id)).toMatchObject({ status: 'error', rows_count: 3 });
    expect(await locationsOf(person)).toHaveLength(3);
  });
});

describe('what a sync has brought', () => {
  test('cannot be changed by hand where its source fills it, and is local once the source has gone', async () => {
    const person = await newPerson('Hands');
    vendor.put('b', items(5));
    const source = await newSource(person);
    await sync(person, source);
    const [{ id } = { id: '' }] = await locationsOf(person);
    const patch = (body: object) => person.try.locations.update({ params: { location_id: id }, body });
    const refused = await patch({ name: 'Mine', timezone: 'Europe/Athens' });
    expect([refused.status, refused.headers['x-error-code']]).toEqual([409, 'fields_synced']);
    expect((await patch({ timezone: 'Europe/Athens' })).status).toBe(200);
    expect((await person.try.locations.delete({ params: { location_id: id } })).status).toBe(409);
    await person.integrations.deleteSource({ params: { source_id: source.id } });
    expect(await work(person)).toBe(true);
    expect(await locationsOf(person)).toHaveLength(5);
    for (const location of await locationsOf(person)) {
      expect(location).toMatchObject({ source: 'local', source_id: null, external_id: null });
    }
    expect((await patch({ name: 'Mine' })).status).toBe(200);
    await noFaults(person);
  });

  test('client accounts: changed at the vendor, kept by hand, local after the connection', async () => {
    const person = await newPerson('Accounts');
    vendor.put('b', {
      a: { name: 'Acme', code: 'R1', mail: 'a@example.com' },
      b: { name: 'Bolt', code: 'R2', mail: 'no address' },
    });
    const mappings = { name: 'name', external_ref: 'code', 'contact.email': 'mail' };
    const source = await newSource(person, { target_ref: 'client_accounts', mappings });
    const run = await sync(person, source);
    expect(run.errors).toEqual([
      { item_id: 'b', field: 'contact.email', code: 'invalid', message: expect.any(String) },
    ]);
    vendor.put('b', { b: { name: 'Bolt', code: 'R2', mail: null } });
    await sync(person, source);
    const accounts = async () => person.clientAccounts.list({});
    const [acme] = await accounts();
    expect(acme).toMatchObject({
      name: 'Acme',
      source: 'synced',
      contact: { email: 'a@example.com', phone: null },
    });
    const patch = (body: object) => person.try.clientAccounts.update({ params: { ca_id: acme.id }, body });
    expect((await patch({ contact: { email: 'b@example.com' } })).headers['x-error-code']).toBe(
      'fields_synced',
    );
    expect((await patch({ contact: { phone: '1' }, notes: 'ours' })).status).toBe(200);
    expect((await person.try.clientAccounts.delete({ params: { ca_id: acme.id } })).status).toBe(409);
    vendor.put('b', { a: { name: 'Acme Ltd', code: 'R1', mail: 'a@example.com' } });
    await sync(person, source);
    expect((await accounts())[0]).toMatchObject({ name: 'Acme Ltd', notes: 'ours', contact: { phone: '1' } });
    await person.integrations.deleteConnection({ params: { connection_id: source.connection_id } });
    expect(await work(person)).toBe(true);
    expect((await accounts())[0]).toMatchObject({ source: 'local', source_id: null });
    expect(await sourceOf(person, source.id)).toMatchObject({ status: 'paused' });
    const sync409 = await person.try.integrations.startSync({ params: { source_id: source.id } });
    expect([sync409.status, sync409.headers['x-error-code']]).toEqual([409, 'connection_deleted']);
    await noFaults(person);
  });

  test('people become candidates, matched by their addresses, and who leaves is told of', async () => {
    const person = await newPerson('People');
    vendor.people = ['Ada', 'Ben', 'Eve'].map((name, n) => ({
      id: `p${n}`,
      name,
      email: `${name.toLowerCase()}@vendor.example`,
      title: 'Inspector',
      status: 'active',
    }));
    vendor.people.push({
      id: 'p9',
      name: 'Gone',
      email: 'g@vendor.example',
      title: null,
      status: 'inactive',
    });
    const user_id = await newMember(person, 'Ada', { email: 'ADA@vendor.example' });
    const directory = await newDirectory(person);
    expect((await syncDirectory(person, directory)).counts).toMatchObject({ read: 3, created: 3 });
    const list = (query = {}) => person.integrations.listUserCandidates({ query });
    expect(await list()).toMatchObject([
      { name: 'Ada', status: 'linked', matched_user_id: user_id },
      { name: 'Ben', status: 'new', matched_user_id: null },
      { name: 'Eve', status: 'new' },
    ]);
    vendor.people[0]!.status = 'inactive';
    expect((await syncDirectory(person, directory)).counts).toMatchObject({ deactivated: 1 });
    expect(await list({ status: ['left_source'] })).toMatchObject([
      { name: 'Ada', matched_user_id: user_id },
    ]);
    const events = (await waitingEvents(person.caller)).filter(
      ({ type }) => type === 'directory.user.left_source',
    );
    expect(events.map(({ data }) => data['matched_user_id'])).toEqual([user_id]);
  });
});

describe('a sync that does not go to its end', () => {
  test('never deactivates more than half of the rows unasked', async () => {
    const person = await newPerson('Guarded');
    vendor.put('b', items(20));
    const source = await newSource(person);
    await sync(person, source);
    vendor.take('b', ...Object.keys(items(11)));
    const run = await sync(person, source);
    expect([run.status, run.error?.code, run.counts.deactivated]).toEqual([
      'partial',
      'mass_deactivation',
      0,
    ]);
    expect(await sourceOf(person, source.id)).toMatchObject({ status: 'error', rows_count: 20 });
    const allowed = await sync(person, source, { allow_mass_deactivation: true });
    expect([allowed.status, allowed.counts.deactivated]).toEqual(['succeeded', 11]);
    expect(await sourceOf(person, source.id)).toMatchObject({
      status: 'active',
      problem: null,
      rows_count: 9,
    });
  });

  test('deactivates nothing when the vendor leaves something out', async () => {
    const person = await newPerson('Gaps');
    vendor.put('b', items(5));
    const source = await newSource(person);
    await sync(person, source);
    vendor.take('b', 'i00004');
    vendor.put('b', { i00000: { name: 'Half' } });
    vendor.gaps = [{ item_id: 'i00000', code: 'X', message: 'x' }];
    const run = await sync(person, source);
    expect([run.status, run.error?.code, run.counts]).toEqual([
      'partial',
      'incomplete',
      { read: 4, created: 0, updated: 0, unchanged: 3, deactivated: 0, failed: 1 },
    ]);
    expect((await locationsOf(person)).map(({ name }) => name)).toContain('Site 0');
  });

  test('begins again when the vendor has forgotten its cursor, and counts each item once', async () => {
    const person = await newPerson('Forgotten');
    vendor.pageSize = 10;
    vendor.put('b', items(35));
    const source = await newSource(person);
    let isForgotten = false;
    vendor.beforeCall = (_, cursor) => {
      if (cursor !== '20' || isForgotten) return;
      isForgotten = true;
      throw failing({ kind: 'cursor_expired' });
    };
    const run = await sync(person, source);
    expect([run.status, run.counts]).toEqual([
      'succeeded',
      { read: 35, created: 35, updated: 0, unchanged: 0, deactivated: 0, failed: 0 },
    ]);
  });

  const endings: [Failure, object, object][] = [
    [{ kind: 'unauthorized' }, { status: 'failed', error: { code: 'unauthorized' } }, { status: 'error' }],
    [{ kind: 'not_found' }, { status: 'failed', error: { code: 'board_not_found' } }, { status: 'error' }],
    [{ kind: 'refused', code: 'X' }, { status: 'failed', error: { code: 'refused' } }, { status: 'error' }],
    [
      { kind: 'limited', retry_in_seconds: 9_999, is_daily: true },
      { status: 'partial', error: { code: 'daily_limit' } },
      { status: 'active', next_sync_at: expect.stringContaining('T00:05:00.000Z') },
    ],
  ];
  test.each(endings)('ends as it must after %j, and keeps what it has', async (failure, ended, shown) => {
    const person = await newPerson('Failing');
    const page = scaled(5, 50);
    vendor.pageSize = page;
    vendor.put('b', items(page + 2));
    const source = await newSource(person);
    vendor.beforeCall = (_, cursor) => {
      if (cursor === String(page)) throw failing(failure);
    };
    expect(await sync(person, source)).toMatchObject({ ...ended, counts: { read: page, created: page } });
    expect(await sourceOf(person, source.id)).toMatchObject(shown);
    expect(await locationsOf(person)).toHaveLength(page);
    const params = { connection_id: source.connection_id };
    const { status } = await person.integrations.getConnection({ params });
    expect(status).toBe(failure.kind === 'unauthorized' ? 'error' : 'active');
    const types = (await waitingEvents(person.caller)).flatMap(({ type }) => type ?? []);
    expect(types).toContain((ended as SyncRun).status === 'failed' ? 'sync.failed' : 'sync.completed');
  });

  const told: [Failure, object][] = [
    [
      { kind: 'unauthorized' },
      {
        event: 'credential_refused',
        source_id: null,
        title: 'The vendor refuses the credential of connection “Harbour”.',
      },
    ],
    [
      { kind: 'not_found' },
      { event: 'sync_failed', connection_id: null, title: 'The sync of source “Sites” failed.' },
    ],
    [
      { kind: 'limited', retry_in_seconds: 9_999, is_daily: true },
      { event: 'sync_incomplete', connection_id: null, title: 'The sync of source “Sites” is incomplete.' },
    ],
  ];
  test.each(told)('after %j tells the admins and who set it up, once', async (failure, notification) => {
    const person = await newPerson('Told');
    vendor.put('b', items(3));
    const source = await newSource(person);
    vendor.beforeCall = () => {
      throw failing(failure);
    };
    const run: SyncRun = await person.integrations.startSync({ params: { source_id: source.id } });
    const [task] = await syncTasks(person);
    await deliver(syncSource.handler, task!);
    await deliver(syncSource.handler, task!);
    const ids =
      failure.kind === 'unauthorized' ? { connection_id: source.connection_id } : { source_id: source.id };
    const { error } = await runOf(person, run);
    const { items: seen } = await person.notifications.listMy();
    expect(seen).toHaveLength(1);
    expect(seen).toMatchObject([
      {
        kind: 'sync_status',
        actor_id: null,
        note: error!.message,
        inspection_id: null,
        ...ids,
        ...notification,
      },
    ]);
    const [mail, ...others] = (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'mail');
    expect(others).toEqual([]);
    expect(mail!.data['user_ids']).toEqual([person.caller.user_id, person.adminId]);
  });

  test('waits in its queue for a limit, tries again after an outage, and is given up at last', async () => {
    const person = await newPerson('Waiting');
    const page = scaled(5, 50);
    vendor.pageSize = page;
    vendor.put('b', items(page + 2));
    const source = await newSource(person);
    let failure: Failure = { kind: 'limited', retry_in_seconds: 77, is_daily: false };
    vendor.beforeCall = (_, cursor) => {
      if (cursor === String(page)) throw failing(failure);
    };
    const run: SyncRun = await person.integrations.startSync({ params: { source_id: source.id } });
    const [first] = await syncTasks(person);
    expect(await deliver(syncSource.handler, first!)).toBe(true);
    const next = (await syncTasks(person)).at(-1)!;
    expect(next.delay_seconds).toBe(77);
    failure = { kind: 'outage' };
    expect(await deliver(syncSource.handler, next)).toBe(false);
    expect(await runOf(person, run)).toMatchObject({ status: 'running', counts: { read: page } });
    // The task before was handed on: it has nothing to do any more.
    expect(await deliver(syncSource.handler, first!)).toBe(true);
    expect(await deliver(syncSource.handler, next, QUEUE_ATTEMPTS)).toBe(false);
    expect(await runOf(person, run)).toMatchObject({ status: 'failed', error: { code: 'unavailable' } });
    vendor.beforeCall = () => {};
    expect((await sync(person, source)).counts).toMatchObject({ created: 2, unchanged: page });
  });

  test('stays failed when the worker that was given up goes on', async () => {
    const person = await newPerson('Slow');
    vendor.put('b', items(3));
    const source = await newSource(person);
    const run: SyncRun = await person.integrations.startSync({ params: { source_id: source.id } });
    const slow = (await begin(person.caller, source.id, run.id))!;
    await giveUpSync(person.caller, source.id, run.id, new Error('the task took too long'));
    const held = { code: 'sync_held' };
    await expect(readAgain(person.caller, slow)).rejects.toMatchObject(held);
    await expect(release(person.caller, slow, 0)).rejects.toMatchObject(held);
    await expect(finish(person.caller, slow, { status: 'succeeded' })).rejects.toMatchObject(held);
    expect(await runOf(person, run)).toMatchObject({ status: 'failed', leased_until: 0 });
    const told = (await waitingEvents(person.caller)).filter(({ type }) => type.startsWith('sync.'));
    expect(told.map(({ type }) => type)).toEqual(['sync.failed']);
  });

  test('is cancelled when its source is paused or deleted, and begins again when it is changed', async () => {
    const person = await newPerson('Cancelled');
    vendor.pageSize = 10;
    vendor.put('b', items(30));
    const interrupt = async (doing: (id: string) => Promise<unknown>) => {
      const source = await newSource(person);
      const run: SyncRun = await person.integrations.startSync({ params: { source_id: source.id } });
      let isDone = false;
      vendor.beforeCall = async (_, cursor) => {
        if (cursor !== '10' || isDone) return;
        isDone = true;
        await doing(source.id);
      };
      const [task] = (await syncTasks(person)).slice(-1);
      expect(await deliver(syncSource.handler, task!)).toBe(true);
      return runOf(person, run);
    };
    const patch = (source_id: string, body: object) =>
      person.integrations.updateSource({ params: { source_id }, body });
    expect(await interrupt((id) => patch(id, { status: 'paused' }))).toMatchObject({ status: 'cancelled' });
    expect(
      await interrupt((id) => person.integrations.deleteSource({ params: { source_id: id } })),
    ).toMatchObject({ status: 'cancelled' });
    expect(await interrupt((id) => patch(id, { value_maps: { kind: { Bldg: 'house' } } }))).toMatchObject({
      status: 'succeeded',
      counts: { read: 30, unchanged: 0, failed: 0 },
    });
  });
});

describe('two syncs of one source', () => {
  test('never overlap: a second request is 409 with the id of the first, a second worker waits', async () => {
    const person = await newPerson('Twice');
    vendor.put('b', items(3));
    const source = await newSource(person);
    const params = { source_id: source.id };
    const answers = await Promise.all([1, 2, 3, 4].map(() => person.try.integrations.startSync({ params })));
    const started = answers.filter(({ status }) => status === 202);
    expect(started).toHaveLength(1);
    const refused = answers.filter(({ status }) => status === 409);
    expect(refused).toHaveLength(3);
    expect(refused[0]!.body.detail).toContain(started[0]!.body.id);
    const [task] = await syncTasks(person);
    const both = await Promise.all([1, 2].map(() => deliver(syncSource.handler, task!)));
    expect(both).toContain(true);
    expect(await runOf(person, started[0]!.body)).toMatchObject({
      status: 'succeeded',
      counts: { created: 3 },
    });
    expect(await locationsOf(person)).toHaveLength(3);
  });
});

describe('org check', () => {
  test('finds and mends a row without its resource and a count that is too low, and nothing in sound sources', async () => {
    const person = await newPerson('Checked');
    const { caller } = person;
    vendor.put('b', items(4));
    const source = await newSource(person);
    await sync(person, source);
    await syncDirectory(person, await newDirectory(person));
    await sync(person, await newSource(person, { target_ref: 'response_sets', mappings: { label: 'name' } }));
    vendor.take('b', 'i00000');
    await sync(person, source);
    await noFaults(person);
    const row = keys.syncedItem(caller, source.id, 'phantom');
    const known = (await getRow(caller, keys.syncedItem(caller, source.id, 'i00001')))!;
    await change(caller, () => ({
      writes: [
        write.put({ ...withoutKeys(known), external_id: 'phantom', resource_id: source.id, ...row }),
        write.update(keys.sourceState(caller, source.id), { set: { rows_count: 1 } }),
      ],
      reply: undefined,
    }));
    const what = 'synced rows of a source';
    const { differences } = await checkOrganization(caller, { repair: true });
    expect(differences).toMatchObject([
      { what, stored: { rows_count: 1 }, found: { rows_count: 4 }, mended: true },
      { what, stored: { external_id: 'phantom' }, found: null, mended: true },
    ]);
    expect(await getRow(caller, row)).toBeUndefined();
    expect(await sourceOf(person, source.id)).toMatchObject({ rows_count: 4 });
    await noFaults(person);
  });
});

describe('the schedule of a source', () => {
  test('starts its syncs when they are due, and a warning names a schedule that is too dense', async () => {
    const person = await newPerson('Scheduled');
    vendor.calls_per_day = 100;
    vendor.put('b', items(3));
    const source = await newSource(person, { schedule_minutes: 15 });
    await startDueSyncs.handler();
    await startDueSyncs.handler();
    expect(await syncTasks(person)).toHaveLength(1);
    await work(person);
    const shown = await sourceOf(person, source.id);
    expect(shown).toMatchObject({
      last_run: { trigger: 'schedule', status: 'succeeded', requested_by: null },
      warning: expect.stringContaining('requests a day'),
    });
    expect(Date.parse(shown.next_sync_at)).toBeGreaterThan(Date.now() + 10 * 60_000);
    await startDueSyncs.handler();
    expect(await syncTasks(person)).toHaveLength(1);
  });

  test('is warned of as soon as it is changed, by the calls of the last whole sync', async () => {
    const person = await newPerson('Dense');
    vendor.calls_per_day = 100;
    vendor.put('b', items(3));
    const source = await newSource(person);
    const withSchedule = (schedule_minutes: number | null): Promise<Source> =>
      person.integrations.updateSource({ params: { source_id: source.id }, body: { schedule_minutes } });
    expect((await withSchedule(15)).warning).toBeNull();
    await sync(person, source);
    const ofBoth = [await withSchedule(1_440), await withSchedule(20)];
    // Of both calls that the sync needed, 72 times a day.
    expect(ofBoth.map(({ warning }) => warning)).toEqual([
      null,
      expect.stringContaining('about 144 requests'),
    ]);
    vendor.beforeCall = () => {
      throw failing({ kind: 'not_found' });
    };
    await sync(person, source);
    expect((await withSchedule(15)).warning).toContain('about 192 requests');
    expect(await withSchedule(null)).toMatchObject({ warning: null, next_sync_at: null });
  });

  test('tells of an obstacle that it meets again and again once, and again when it was gone meanwhile', async () => {
    const person = await newPerson('Obstinate');
    vendor.put('b', items(3));
    const source = await newSource(person, { schedule_minutes: 15 });
    const syncBySchedule = async () => {
      await start(serviceOf(person.caller.org_id), source.id, false, {
        trigger: 'schedule',
        allow_mass_deactivation: false,
      });
      await work(person);
    };
    const eventsSeen = async (): Promise<string[]> =>
      (await person.notifications.listMy()).items.map(({ event }: { event: string }) => event);
    const refuse = () => {
      throw failing({ kind: 'not_found' });
    };
    vendor.beforeCall = refuse;
    await syncBySchedule();
    await syncBySchedule();
    expect(await eventsSeen()).toEqual(['sync_failed']);
    // Whoever asks for a sync is told of it in any case.
    await sync(person, source);
    expect(await eventsSeen()).toHaveLength(2);
    vendor.beforeCall = () => {};
    await syncBySchedule();
    vendor.beforeCall = refuse;
    await syncBySchedule();
    expect(await eventsSeen()).toHaveLength(3);
  });
});

describe('the token of a connection', () => {
  test('is in no reply, row, task, event or log line', async () => {
    const person = await newPerson('Secret');
    vendor.put('b', items(2));
    const lines: string[] = [];
    const spy = jest
      .spyOn(process.stdout, 'write')
      .mockImplementation((chunk) => lines.push(String(chunk)) > 0);
    const source = await newSource(person);
    vendor.beforeCall = () => {
      throw failing({ kind: 'outage' });
    };
    await person.try.integrations.startSync({ params: { source_id: source.id } });
    await work(person);
    spy.mockRestore();
    const replies = await person.try.integrations.getConnection({
      params: { connection_id: source.connection_id },
    });
    const everything = JSON.stringify([replies, await outboxOf(person.caller), lines]);
    expect(everything).not.toContain(GOOD_TOKEN);
    expect(everything).not.toContain(Buffer.from(GOOD_TOKEN).toString('base64').slice(0, 20));
  });
});
