import * as syncSource from '../../functions/workers/sync-source.ts';
import type { SyncRun } from '../../shared/schemas/integrations/run.ts';
import type { Location } from '../../shared/schemas/location.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { seeded } from '../support/chance.ts';
import { chaos, impatient, installFaults, withFault } from '../support/faults.ts';
import { deliver } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { killedAtPlaces } from '../support/places.ts';
import { scaled } from '../support/scale.ts';
import { newSource, runOf, sync, syncTasks } from './fixtures.ts';
import { failing, useMemoryVendor } from './memory-vendor.ts';

installFaults();
impatient();

const items = (count: number, suffix = '') =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `i${String(n).padStart(5, '0')}`,
      { name: `Site ${n}${n % 9 === 0 ? suffix : ''}`, kind: null, where: null },
    ]),
  );

/** The lease of a killed worker ends by itself; here it need not be waited for. */
const endLease = async ({ caller }: Person, run: SyncRun): Promise<void> => {
  const key = keys.syncRun(caller, run.source_id, run.id);
  if (!(await getRow(caller, key))) return;
  await change(caller, () => ({
    writes: [write.update(key, { set: { leased_until: 0 } })],
    reply: undefined,
  }));
};

const states = async (person: Person): Promise<[string, string][]> =>
  ((await person.locations.list({})) as Location[]).map(({ name, status }) => [name, status]);

const expectSound = async ({ caller }: Person) => {
  const { found, unsettled, differences } = await checkOrganization(caller, { repair: false });
  expect({ found, unsettled, differences }).toEqual({ found: 0, unsettled: 0, differences: [] });
};

describe('a worker that is killed', () => {
  test('at any of its calls leaves a run that another one completes, with the same result and counts', async () => {
    const vendor = useMemoryVendor();
    vendor.pageSize = 15;
    let checks = 0;
    const places = await killedAtPlaces(
      async ({ place, fault }) => {
        const person = await newPerson(`Killed ${place}`);
        vendor.boards.clear();
        vendor.put('b', items(40));
        const source = await newSource(person);
        await sync(person, source);
        vendor.put('b', { ...items(38, ' renamed'), new: { name: 'New', kind: null, where: null } });
        vendor.take('b', 'i00038', 'i00039');
        const run: SyncRun = await person.integrations.startSync({ params: { source_id: source.id } });
        const task = (await syncTasks(person)).at(-1)!;
        await withFault(fault, () => deliver(syncSource.handler, task));
        await endLease(person, run);
        expect(await deliver(syncSource.handler, task)).toBe(true);
        const ended = await runOf(person, run);
        expect([place, ended.status, ended.counts]).toEqual([
          place,
          'succeeded',
          { read: 39, created: 1, updated: 5, unchanged: 33, deactivated: 2, failed: 0 },
        ]);
        const shown = await states(person);
        expect(shown.filter(([, status]) => status === 'inactive')).toHaveLength(2);
        expect(shown.filter(([name]) => name.endsWith('renamed'))).toHaveLength(5);
        expect(shown).toHaveLength(41);
        checks += 1;
        if (checks % 5 === 0) await expectSound(person);
      },
      { isFirstDone: false },
    );
    expect(places).toBeGreaterThan(10);
  });
});

describe('syncs among faults', () => {
  test.each(scaled([1], [1, 2, 3]))(
    'with seed %i bring everything once, and leave no counter wrong',
    async (seed) => {
      const vendor = useMemoryVendor();
      vendor.pageSize = 10;
      const random = seeded(seed);
      const person = await newPerson(`Faulty ${seed}`);
      vendor.put('b', items(60));
      const source = await newSource(person);
      vendor.beforeCall = (what) => {
        if (what !== 'columns' && random() < 0.05) {
          throw failing(random() < 0.5 ? { kind: 'outage' } : { kind: 'cursor_expired' });
        }
      };
      const run: SyncRun = await person.integrations.startSync({ params: { source_id: source.id } });
      while (['queued', 'running'].includes((await runOf(person, run)).status)) {
        const task = (await syncTasks(person)).at(-1)!;
        await withFault(chaos(random, { refused: 0.05, lost: 0.05 }), () =>
          deliver(syncSource.handler, task),
        );
        await endLease(person, run);
      }
      vendor.beforeCall = () => {};
      const ended = await runOf(person, run);
      if (ended.status !== 'succeeded') expect((await sync(person, source)).status).toBe('succeeded');
      else expect(ended.counts).toMatchObject({ read: 60, created: 60, failed: 0 });
      expect(await states(person)).toHaveLength(60);
      await expectSound(person);
    },
  );
});
