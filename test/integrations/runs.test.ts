import * as startDueSyncs from '../../functions/workers/start-due-syncs.ts';
import * as syncSource from '../../functions/workers/sync-source.ts';
import { QUEUE_ATTEMPTS } from '../../shared/base/queues.ts';
import { begin } from '../../shared/integrations/rows/runs.ts';
import type { Failure } from '../../shared/integrations/vendor.ts';
import { resume, suspend } from '../../shared/organizations/suspension.ts';
import type { SyncRun } from '../../shared/schemas/integrations/run.ts';
import type { Source } from '../../shared/schemas/integrations/source.ts';
import type { Location } from '../../shared/schemas/location.ts';
import { keys } from '../../shared/table/keys.ts';
import { dropTasks } from '../../shared/table/outbox/outbox.ts';
import { countRows, getRow, queryRows } from '../../shared/table/rows.ts';
import { setMaxSlots } from '../../shared/table/slots.ts';
import { useClock } from '../support/clock.ts';
import { between, type Fault, installFaults, on, sdkError, withFault } from '../support/faults.ts';
import { newMember } from '../support/notices.ts';
import { deliver, waitingEvents } from '../support/outbox.ts';
import { newPerson, operatorOf, type Person } from '../support/people.ts';
import {
  newConnection,
  newDirectory,
  newSource,
  runOf,
  sync,
  syncDirectory,
  syncTasks,
  work,
} from './fixtures.ts';
import { failing, type MemoryVendor, useMemoryVendor } from './memory-vendor.ts';

installFaults();

const clock = useClock();
let vendor: MemoryVendor;
let person: Person;

beforeEach(async () => {
  vendor = useMemoryVendor();
  person = await newPerson('Harbour');
});

const DAY = 86_400;
const WRONG = { credential: { api_token: 'wrong-token' } };

const items = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [`i${String(n).padStart(5, '0')}`, { name: `Site ${n}` }]),
  );
const of = ({ id }: { id: string }) => ({ params: { source_id: id } });
const shown = (source: { id: string }): Promise<Source> => person.integrations.getSource(of(source));
const started = (source: { id: string }): Promise<SyncRun> => person.integrations.startSync(of(source));
const lastTask = async () => (await syncTasks(person)).at(-1)!;
const stateOf = async ({ id }: { id: string }) =>
  (await getRow(person.caller, keys.sourceState(person.caller, id)))!;
const locationsOf = (): Promise<Location[]> => person.locations.list({});
const syncEvents = async () =>
  (await waitingEvents(person.caller)).map(({ type }) => type).filter((type) => type.startsWith('sync.'));
const failWith = (failure: Failure) => () => {
  throw failing(failure);
};

/** Each transaction takes longer than a worker has. */
const slowly: Fault = on(
  ({ input }) => 'TransactItems' in input,
  async ({ send }) => {
    const output = await send();
    clock.pass(201);
    return output;
  },
);

/** Gives the worker task after task, each at a slow table. @returns how many there were */
const workSlowly = async (): Promise<number> => {
  const done = new Set<string>();
  for (;;) {
    const task = await lastTask();
    if (done.has(task.id)) return done.size;
    done.add(task.id);
    expect(await withFault(slowly, () => deliver(syncSource.handler, task))).toBe(true);
  }
};

describe('POST /integrations/sources/{source_id}/sync', () => {
  const obstacles: [string, (source: Source) => Promise<unknown>][] = [
    [
      'source_paused',
      (source) => person.integrations.updateSource({ ...of(source), body: { status: 'paused' } }),
    ],
    [
      'connection_refused',
      ({ connection_id }) => person.integrations.updateConnection({ params: { connection_id }, body: WRONG }),
    ],
    [
      'connection_deleted',
      ({ connection_id }) => person.integrations.deleteConnection({ params: { connection_id } }),
    ],
    ['sync_running', started],
  ];
  test.each(obstacles)('409 %s, and the schedule goes on', async (code, prevent) => {
    vendor.put('b', items(1));
    const source = await newSource(person, { schedule_minutes: 60 });
    await prevent(source);
    const runs = { ...keys.parts(person.caller, 'SOURCE', source.id, 'RUN') };
    const before = await countRows(person.caller, runs);
    const answer = await person.try.integrations.startSync(of(source));
    expect([answer.status, answer.headers['x-error-code']]).toEqual([409, code]);
    clock.pass(3_700);
    await startDueSyncs.handler();
    expect(await countRows(person.caller, runs)).toBe(before);
    const { by_due_at = null } = await stateOf(source);
    if (code.startsWith('connection_refused') || code === 'sync_running')
      expect(Date.parse(by_due_at!)).toBeGreaterThan(Date.now());
    else expect(by_due_at).toBeNull();
  });
});

describe('a worker', () => {
  test.each([
    [299.999, 'held'],
    [300, 'taken'],
  ])('that has said nothing for %d s leaves its run %s', async (seconds, expected) => {
    vendor.put('b', items(1));
    const source = await newSource(person);
    const { id } = await started(source);
    await begin(person.caller, source.id, id);
    clock.pass(seconds);
    const second = begin(person.caller, source.id, id).then(
      () => 'taken',
      ({ code }) => (code === 'sync_held' ? 'held' : code),
    );
    expect(await second).toBe(expected);
  });

  test('that was overtaken after its lease writes nothing more, whatever the other one has done', async () => {
    vendor.pageSize = 10;
    vendor.put('b', items(20));
    const source = await newSource(person);
    const run = await started(source);
    const task = await lastTask();
    let isOvertaken = false;
    vendor.beforeCall = async (_, cursor) => {
      if (cursor !== '10' || isOvertaken) return;
      isOvertaken = true;
      clock.pass(301);
      vendor.put('b', { i00019: { name: 'As the second one has read it' } });
      expect(await deliver(syncSource.handler, task)).toBe(true);
      vendor.put('b', { i00019: { name: 'As the first one reads it' } });
    };
    expect(await deliver(syncSource.handler, task)).toBe(false);
    expect(await runOf(person, run)).toMatchObject({
      status: 'succeeded',
      counts: { read: 20, created: 20 },
    });
    const names = (await locationsOf()).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('As'))).toEqual(['As the second one has read it']);
    expect(await syncEvents()).toEqual(['sync.completed']);
  });

  test('that was overtaken by one that has only begun writes nothing more either', async () => {
    vendor.pageSize = 10;
    vendor.put('b', items(20));
    const source = await newSource(person);
    const run = await started(source);
    vendor.beforeCall = async (_, cursor) => {
      if (cursor !== '10') return;
      clock.pass(301);
      await begin(person.caller, source.id, run.id);
    };
    expect(await deliver(syncSource.handler, await lastTask())).toBe(false);
    expect(await runOf(person, run)).toMatchObject({ status: 'running', counts: { read: 10 } });
    expect(await locationsOf()).toHaveLength(10);
  });

  test('whose task fails lets the next one begin at once', async () => {
    vendor.put('b', items(1));
    const source = await newSource(person);
    const run = await started(source);
    vendor.beforeCall = failWith({ kind: 'outage' });
    expect(await deliver(syncSource.handler, await lastTask())).toBe(false);
    vendor.beforeCall = () => {};
    expect(await deliver(syncSource.handler, await lastTask(), 2)).toBe(true);
    expect((await runOf(person, run)).status).toBe('succeeded');
  });

  test('that still has its run is not given up, whatever another task has met; one that has crashed is', async () => {
    vendor.put('b', items(1));
    const source = await newSource(person);
    const run = await started(source);
    const task = await lastTask();
    await begin(person.caller, source.id, run.id);
    for (const attempt of [QUEUE_ATTEMPTS, QUEUE_ATTEMPTS + 1]) {
      expect(await deliver(syncSource.handler, task, attempt)).toBe(false);
      expect((await runOf(person, run)).status).toBe('running');
    }
    clock.pass(300);
    expect(await deliver(syncSource.handler, task, QUEUE_ATTEMPTS + 1)).toBe(false);
    expect(await runOf(person, run)).toMatchObject({ status: 'failed', error: { code: 'unavailable' } });
    expect((await sync(person, source)).status).toBe('succeeded');
  });

  test('with a slow table leaves the rest to the next one, at pages, missing rows and local ones', async () => {
    vendor.pageSize = 12;
    vendor.put('b', items(36));
    const source = await newSource(person);
    const first = await started(source);
    expect(await workSlowly()).toBe(3);
    const counts = { read: 36, created: 36, updated: 0, unchanged: 0, deactivated: 0, failed: 0 };
    expect(await runOf(person, first)).toMatchObject({ status: 'succeeded', counts });

    vendor.take('b', ...Object.keys(items(30)));
    const body = { allow_mass_deactivation: true };
    const second: SyncRun = await person.integrations.startSync({ ...of(source), body });
    expect(await workSlowly()).toBeGreaterThan(2);
    expect(await runOf(person, second)).toMatchObject({ status: 'succeeded', counts: { deactivated: 30 } });
    expect((await locationsOf()).filter(({ status }) => status === 'inactive')).toHaveLength(30);

    await person.integrations.deleteSource(of(source));
    expect(await workSlowly()).toBeGreaterThan(2);
    const rows = keys.parts(person.caller, 'SOURCE', source.id, 'ROW');
    expect(await countRows(person.caller, rows)).toBe(0);
    expect((await locationsOf()).filter(({ source: from }) => from !== 'local')).toEqual([]);
  });
});

describe('a limit of the vendor', () => {
  test.each([
    [0.2, 1],
    [77, 77],
    [900.5, 900],
    [5_000, 900],
  ])('of %d s is waited for %d s, as a queue takes it', async (retry_in_seconds, delay) => {
    vendor.put('b', items(1));
    await started(await newSource(person));
    vendor.beforeCall = failWith({ kind: 'limited', retry_in_seconds, is_daily: false });
    expect(await deliver(syncSource.handler, await lastTask())).toBe(true);
    expect((await lastTask()).delay_seconds).toBe(delay);
  });

  test.each([
    [DAY - 1, 'running'],
    [DAY + 1, 'failed'],
  ])('%d s after a run was asked for leaves it %s', async (seconds, status) => {
    vendor.put('b', items(1));
    const run = await started(await newSource(person));
    vendor.beforeCall = failWith({ kind: 'limited', retry_in_seconds: 60, is_daily: false });
    expect(await deliver(syncSource.handler, await lastTask())).toBe(true);
    clock.pass(seconds);
    expect(await deliver(syncSource.handler, await lastTask())).toBe(true);
    expect((await runOf(person, run)).status).toBe(status);
  });

  test('of the day leaves the source as it was last read', async () => {
    vendor.put('b', items(60));
    const source = await newSource(person);
    vendor.beforeCall = (_, cursor) => {
      if (cursor === '50') throw failing({ kind: 'limited', retry_in_seconds: DAY, is_daily: true });
    };
    expect((await sync(person, source)).status).toBe('partial');
    expect(await shown(source)).toMatchObject({ last_synced_at: null, last_run: { status: 'partial' } });
  });
});

describe('a run that reads again', () => {
  test('gives up after ten more times', async () => {
    vendor.put('b', items(1));
    let readings = 0;
    vendor.beforeCall = (what) => {
      if (what !== 'items') return;
      readings += 1;
      throw failing({ kind: 'cursor_expired' });
    };
    const run = await sync(person, await newSource(person));
    expect([run.status, run.error?.code, readings]).toEqual(['failed', 'unreadable', 11]);
  });

  test('names each item that failed once, and forgets a gap that has closed', async () => {
    vendor.pageSize = 10;
    vendor.put('b', { ...items(20), i00000: { name: '' } });
    vendor.gaps = [{ item_id: 'i00005', code: 'X', message: 'x' }];
    let isForgotten = false;
    vendor.beforeCall = (_, cursor) => {
      if (cursor !== '10' || isForgotten) return;
      isForgotten = true;
      vendor.gaps = [];
      throw failing({ kind: 'cursor_expired' });
    };
    const run = await sync(person, await newSource(person));
    expect(run).toMatchObject({ status: 'partial', error: { code: 'items_failed' }, has_gaps: false });
    expect(run.errors).toMatchObject([{ item_id: 'i00000' }]);
  });
});

describe('a run that is cancelled', () => {
  test('keeps what is known of its source, and is no event', async () => {
    vendor.put('b', items(3));
    const source = await newSource(person);
    vendor.beforeCall = failWith({ kind: 'not_found' });
    await sync(person, source);
    const problem = { code: 'board_not_found' };
    expect(await shown(source)).toMatchObject({ problem });
    vendor.beforeCall = () => {};
    const run = await started(source);
    await person.integrations.updateSource({ ...of(source), body: { status: 'paused' } });
    await work(person);
    expect((await runOf(person, run)).status).toBe('cancelled');
    expect(await shown(source)).toMatchObject({ problem, last_run: { status: 'cancelled' } });
    expect(await syncEvents()).toEqual(['sync.failed']);
  });
});

describe('PATCH /integrations/sources/{source_id}', () => {
  test('200 paused is not due any more, and active it is due when its schedule says so', async () => {
    vendor.put('b', items(1));
    const source = await newSource(person, { schedule_minutes: 60 });
    await sync(person, source);
    const due = async (status: string) => {
      await person.integrations.updateSource({ ...of(source), body: { status } });
      return (await stateOf(source)).by_due_at;
    };
    const { by_due_at } = await stateOf(source);
    expect([await due('paused'), await due('active')]).toEqual([undefined, by_due_at]);
  });
});

describe('what is kept', () => {
  test('is deleted by its row’s own time', async () => {
    vendor.put('b', items(1));
    const source = await newSource(person);
    const { id } = await sync(person, source);
    const { caller } = person;
    const days = async (query: Parameters<typeof queryRows>[1]) => {
      const rows = (await Array.fromAsync(queryRows(caller, query))) as { ttl?: number }[];
      return new Set(rows.map(({ ttl = 0 }) => Math.round((ttl - Date.now() / 1_000) / DAY)));
    };
    expect({
      runs: await days(keys.parts(caller, 'SOURCE', source.id, 'RUN')),
      pages: await days(keys.seenPage.range(caller, source.id, id, 0)),
      activities: await days({ partition: keys.integrationActivity.partition(caller, 'monday') }),
    }).toEqual({ runs: new Set([90]), pages: new Set([2]), activities: new Set([400]) });
  });
});

describe('as many syncs as may run', () => {
  test('refuse one more with their number, until one has ended', async () => {
    vendor.put('b', items(1));
    await setMaxSlots(person.caller, { SYNC: 1 });
    const [first, second] = [await newSource(person), await newSource(person)];
    await started(first);
    const { status, body } = await person.try.integrations.startSync(of(second));
    expect(status).toBe(429);
    expect(body.detail).toMatch(/already has 1 syncs .+ the maximum is 1\./);
    await work(person);
    expect((await person.try.integrations.startSync(of(second))).status).toBe(202);
  });

  test('leave others due, which are started when one has ended', async () => {
    vendor.put('b', items(1));
    await setMaxSlots(person.caller, { SYNC: 1 });
    const connection_id = (await newConnection(person)).id;
    const [first, second] = [
      await newSource(person, { connection_id }),
      await newSource(person, { connection_id, schedule_minutes: 60 }),
    ];
    await started(first);
    const { by_due_at } = await stateOf(second);
    clock.pass(3_601);
    await startDueSyncs.handler();
    expect(await stateOf(second)).toMatchObject({ run_id: null, by_due_at });
    await work(person);
    await startDueSyncs.handler();
    expect((await stateOf(second)).run_id).not.toBeNull();
  });

  test('count none whose source was deleted', async () => {
    vendor.put('b', items(1));
    await setMaxSlots(person.caller, { SYNC: 1 });
    const [first, second] = [await newSource(person), await newSource(person)];
    await started(first);
    await person.integrations.deleteSource(of(first));
    for (const task of await syncTasks(person)) expect(await deliver(syncSource.handler, task)).toBe(true);
    expect((await person.try.integrations.startSync(of(second))).status).toBe(202);
  });
});

describe('startDueSyncs', () => {
  test.each([
    [DAY - 60, 'running', 409],
    [DAY + 60, 'failed', 202],
  ])('%d s after a run that its last worker has left finds it %s', async (seconds, status, again) => {
    vendor.put('b', items(1));
    const source = await newSource(person);
    const run = await started(source);
    await begin(person.caller, source.id, run.id);
    expect(await deliver(syncSource.handler, await lastTask(), QUEUE_ATTEMPTS + 1)).toBe(false);
    clock.pass(seconds);
    await startDueSyncs.handler();
    expect((await runOf(person, run)).status).toBe(status);
    expect((await person.try.integrations.startSync(of(source))).status).toBe(again);
  });

  test('starts the sync of one source although that of another cannot be started, and fails', async () => {
    vendor.put('b', items(1));
    const connection_id = (await newConnection(person)).id;
    const broken = await newSource(person, { connection_id, schedule_minutes: 60 });
    const other = await newSource(person, { connection_id, schedule_minutes: 60 });
    const refusing: Fault = on(
      ({ input }) => 'TransactItems' in input && JSON.stringify(input).includes(broken.id),
      () => Promise.reject(sdkError('ValidationException', { $metadata: { httpStatusCode: 400 } })),
    );
    await expect(withFault(refusing, () => startDueSyncs.handler())).rejects.toThrow('organizations wait');
    expect((await syncTasks(person)).map(({ data }) => data)).toMatchObject([{ source_id: other.id }]);
  });
});

describe('while the organization is suspended', () => {
  test('403 for a sync, the worker puts back the one that waits, and no schedule starts another', async () => {
    const operator = operatorOf(person);
    vendor.put('b', items(3));
    const connection_id = (await newConnection(person)).id;
    const source = await newSource(person, { connection_id });
    const scheduled = await newSource(person, { connection_id, schedule_minutes: 60 });
    const run = await started(source);
    const task = await lastTask();
    await suspend(operator);
    expect(await person.try.integrations.startSync(of(source))).toMatchObject({
      status: 403,
      headers: { 'x-error-code': 'organization_suspended' },
    });
    // The queue has the task, and the outbox no longer.
    await dropTasks(person.caller, [task]);
    expect(await deliver(syncSource.handler, task)).toBe(true);
    clock.pass(3_601);
    await startDueSyncs.handler();
    expect(await syncTasks(person)).toMatchObject([{ id: task.id, data: task.data }]);
    expect((await stateOf(scheduled)).run_id).toBeNull();
    expect((await runOf(person, run)).status).toBe('queued');
    await resume(operator);
    await work(person);
    expect((await runOf(person, run)).status).toBe('succeeded');
    expect(await locationsOf()).toHaveLength(3);
    await startDueSyncs.handler();
    expect((await stateOf(scheduled)).run_id).not.toBeNull();
  });
});

describe('POST /integrations/connections/{connection_id}/sources', () => {
  test('201 or 404 while the connection is deleted, and no source of it goes on', async () => {
    vendor.put('b', items(1));
    const body = { name: 'Sites', target_ref: 'locations', board_id: 'b', mappings: { name: 'name' } };
    const places = await between({
      prepare: async () => ({ params: { connection_id: (await newConnection(person)).id } }),
      work: (connection) => person.try.integrations.createSource({ ...connection, body }),
      act: (connection) => person.integrations.deleteConnection(connection),
      check: async ({ params: { connection_id } }) => {
        const where = { connection_id: [connection_id] };
        const rows = queryRows(person.caller, { partition: keys.all(person.caller, 'SOURCE'), where });
        for await (const { is_paused } of rows) expect(is_paused).toBe(true);
      },
    });
    expect(places).toBeGreaterThan(3);
  });
});

describe('GET /integrations/{vendor}/status', () => {
  test('200 with the latest and the next sync of several sources, degraded by one of them', async () => {
    vendor.put('b', items(1));
    const connection_id = (await newConnection(person)).id;
    const often = await newSource(person, { connection_id, schedule_minutes: 60 });
    const seldom = await newSource(person, { connection_id, schedule_minutes: 600 });
    const synced: (string | null)[] = [];
    for (const source of [often, seldom]) {
      await sync(person, source);
      synced.push((await shown(source)).last_synced_at);
      clock.pass(60);
    }
    const params = { vendor: 'monday' };
    expect(await person.integrations.getStatus({ params })).toMatchObject({
      status: 'connected',
      last_sync_at: synced[1],
      next_sync_at: (await shown(often)).next_sync_at,
    });
    vendor.beforeCall = failWith({ kind: 'not_found' });
    await sync(person, seldom);
    expect(await person.integrations.getStatus({ params })).toMatchObject({
      status: 'degraded',
      sources: { active: 1, error: 1, paused: 0 },
    });
  });
});

describe('GET /integrations/user-candidates', () => {
  test('200 with the match of a member who is active, and of no other', async () => {
    const title = null;
    vendor.people = ['ada', 'ben'].map((name) => ({
      id: name,
      name,
      email: `${name}@example.com`,
      title,
      status: 'active' as const,
    }));
    const ada = await newMember(person, 'Ada', { email: 'ADA@example.com' });
    await newMember(person, 'Ben', { email: 'ben@example.com', status: 'suspended' });
    await syncDirectory(person, await newDirectory(person));
    expect(await person.integrations.listUserCandidates({})).toMatchObject([
      { email: 'ada@example.com', matched_user_id: ada, status: 'linked' },
      { email: 'ben@example.com', matched_user_id: null, status: 'new' },
    ]);
  });
});
