import * as syncSource from '../../functions/workers/sync-source.ts';
import type { SyncRun } from '../../shared/schemas/integrations/run.ts';
import type { Source } from '../../shared/schemas/integrations/source.ts';
import type { Location } from '../../shared/schemas/location.ts';
import { keys } from '../../shared/table/keys.ts';
import { countRows, getRow } from '../../shared/table/rows.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { useClock } from '../support/clock.ts';
import { impatient, installFaults } from '../support/faults.ts';
import { deliver, type WaitingTask } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { betweenSome } from '../support/places.ts';
import { newSource, runOf, sync, syncTasks } from './fixtures.ts';
import { GOOD_TOKEN, type MemoryVendor, useMemoryVendor } from './memory-vendor.ts';

installFaults();
impatient();

const clock = useClock();
let vendor: MemoryVendor;
let person: Person;

beforeEach(async () => {
  vendor = useMemoryVendor();
  vendor.pageSize = 3;
  person = await newPerson('Overtaken');
});

const board = (name: string) => ({ name, kind: 'Building', where: 'Quay' });

/** A source whose next sync has something to create, to change, to leave and to deactivate, and its run. */
interface Prepared {
  source: Source;
  run: SyncRun;
  task: WaitingTask;
}

const prepare = async (): Promise<Prepared> => {
  vendor.token = GOOD_TOKEN;
  vendor.boards.clear();
  vendor.put('b', { i1: board('One'), i2: board('Two'), i3: board('Three'), i4: board('Four') });
  const source = await newSource(person, { mappings: { name: 'name', kind: 'kind' } });
  await sync(person, source);
  vendor.put('b', { i2: board('Second'), i5: board('Five') });
  vendor.take('b', 'i3');
  const run: SyncRun = await person.integrations.startSync({ params: { source_id: source.id } });
  return { source, run, task: (await syncTasks(person)).at(-1)! };
};

const work = ({ task }: Prepared) => deliver(syncSource.handler, task);

const of = ({ source }: Prepared) => ({ params: { source_id: source.id } });

/** The tasks that a worker has accepted, which the queue does not offer again. */
const done = new Set<string>();

/** Does what the queue does after that: it offers the tasks of a source again until each is accepted. */
const settle = async ({ source }: Prepared): Promise<void> => {
  for (let attempts = 0; attempts < 20; attempts += 1) {
    const task = (await syncTasks(person)).find(
      ({ id, data }) => data.source_id === source.id && !done.has(id),
    );
    if (!task) return;
    if (await deliver(syncSource.handler, task)) done.add(task.id);
    else clock.pass(301);
  }
  throw new Error('the tasks of the source are never done');
};

/** Another worker makes local what a deleted source has brought, while the first one still goes on. */
const detach = async ({ source }: Prepared): Promise<void> => {
  const task = (await syncTasks(person)).findLast(
    ({ data }) => data.source_id === source.id && data.what === 'detach',
  );
  expect(await deliver(syncSource.handler, task!)).toBe(true);
  done.add(task!.id);
};

const locationsOf = async ({ source }: Prepared): Promise<Location[]> =>
  ((await person.locations.list({})) as Location[]).filter(({ source_id }) => source_id === source.id);

const expectSound = async () => {
  const { found, unsettled, differences } = await checkOrganization(person.caller, { repair: false });
  expect({ found, unsettled, differences }).toEqual({ found: 0, unsettled: 0, differences: [] });
};

const COUNTS = { read: 4, created: 1, updated: 1, unchanged: 2, deactivated: 1, failed: 0 };

const overtaken = async (
  act: (prepared: Prepared) => Promise<unknown>,
  check: (prepared: Prepared) => Promise<void>,
): Promise<void> => {
  const places = await betweenSome({
    prepare,
    work,
    act,
    check: async (prepared) => {
      await settle(prepared);
      await check(prepared);
    },
  });
  expect(places).toBeGreaterThan(10);
  await expectSound();
};

describe('between any two calls of a sync', () => {
  test('its credential is replaced: the new one works, and so does the sync', () =>
    overtaken(
      async ({ source: { connection_id } }) => {
        vendor.token = 'another-token-0123456789';
        const body = { credential: { api_token: vendor.token } };
        await person.integrations.updateConnection({ params: { connection_id }, body });
      },
      async ({ source: { connection_id }, run }) => {
        const connection = await person.integrations.getConnection({ params: { connection_id } });
        expect(connection).toMatchObject({ status: 'active', last_error: null });
        expect(await runOf(person, run)).toMatchObject({ status: 'succeeded', counts: COUNTS });
      },
    ));

  test.each<[string, (prepared: Prepared) => Promise<unknown>]>([
    ['source', (prepared) => person.integrations.deleteSource(of(prepared))],
    [
      'connection',
      ({ source: { connection_id } }) => person.integrations.deleteConnection({ params: { connection_id } }),
    ],
  ])('its %s is deleted: what it has brought is local, and nothing more comes', (_, act) => {
    const actAndDetach = async (prepared: Prepared) => {
      await act(prepared);
      await detach(prepared);
    };
    return overtaken(actAndDetach, async (prepared) => {
      const { run, source } = prepared;
      expect(['cancelled', 'succeeded']).toContain((await runOf(person, run)).status);
      expect(await locationsOf(prepared)).toEqual([]);
      expect(await countRows(person.caller, keys.parts(person.caller, 'SOURCE', source.id, 'ROW'))).toBe(0);
    });
  });

  test('its source is paused: the run ends, and another one can start', () =>
    overtaken(
      (prepared) => person.integrations.updateSource({ ...of(prepared), body: { status: 'paused' } }),
      async (prepared) => {
        expect(['cancelled', 'succeeded']).toContain((await runOf(person, prepared.run)).status);
        const state = await getRow(person.caller, keys.sourceState(person.caller, prepared.source.id));
        expect([state!.run_id, state!.by_due]).toEqual([null, undefined]);
        await person.integrations.updateSource({ ...of(prepared), body: { status: 'active' } });
        expect((await sync(person, prepared.source)).status).toBe('succeeded');
        expect(await locationsOf(prepared)).toHaveLength(5);
      },
    ));

  test('its mappings are changed: all rows have come by the same ones', () =>
    overtaken(
      (prepared) =>
        person.integrations.updateSource({
          ...of(prepared),
          body: { mappings: { name: 'name', kind: 'where' } },
        }),
      async (prepared) => {
        expect((await runOf(person, prepared.run)).status).toBe('succeeded');
        const active = (await locationsOf(prepared)).filter(({ status }) => status === 'active');
        expect(active).toHaveLength(4);
        expect(new Set(active.map(({ kind }) => kind)).size).toBe(1);
      },
    ));

  test('a second worker does it, because the first one was slow: each row is written and counted once', () =>
    overtaken(
      async (prepared) => {
        clock.pass(301);
        await work(prepared);
      },
      async (prepared) => {
        expect(await runOf(person, prepared.run)).toMatchObject({ status: 'succeeded', counts: COUNTS });
        expect(await locationsOf(prepared)).toHaveLength(5);
      },
    ));
});
