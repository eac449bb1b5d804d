import { handler as deleteRemains } from '../../functions/workers/delete-remains.ts';
import { followLocation } from '../../shared/schedules/places.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { newColleague, newLocation } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { impatient, installFaults, killAfter, withFault } from '../support/faults.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { betweenSome, killedAtPlaces } from '../support/places.ts';
import { generateAt, inspectionsOf, newSchedule, shown } from './fixtures.ts';

installFaults();
impatient();

let person: Person;
let template_family_id: string;

beforeEach(async () => {
  person = await newPerson('Harbour');
  ({ template_family_id } = await newSchedule(person));
});

const at = (location_id: string) => ({ params: { location_id } });

/** A schedule of three new locations, of which the second one goes or rests. */
const newSample = async (): Promise<{ schedule: { id: string }; places: string[]; place: string }> => {
  // The requests of a key are limited in each minute.
  const { key } = await newColleague(person, 'Harbour');
  person = { ...person, ...as(key), key };
  const locations = await Promise.all([1, 2, 3].map(() => newLocation(person)));
  const places = locations.map(({ id }) => id);
  const fields = { template_family_id, location_ids: places, create_ahead_days: 0 };
  return { schedule: await newSchedule(person, fields), places, place: places[1]! };
};

const setStatus = (place: string, status: 'active' | 'inactive') =>
  person.locations.update({ ...at(place), body: { status } });

const done = new Set<string>();

/** Does what waits for the worker. */
const work = async (): Promise<void> => {
  for (const task of await waitingTasks(person.caller)) {
    if (task.outbox !== 'cleanup' || done.has(task.id)) continue;
    expect(await deliver(deleteRemains, task)).toBe(true);
    done.add(task.id);
  }
};

/** The locations with an inspection that is to be carried out, and how many inspections there are of each. */
const openAt = async (schedule: { id: string }): Promise<Record<string, number>> => {
  const open = (await inspectionsOf(person, schedule)).filter(({ status }) => status === 'scheduled');
  return Object.fromEntries(
    Map.groupBy(open, ({ location_id }) => location_id!)
      .entries()
      .map(([id, some]) => [id, some.length]),
  );
};

const expectConsistent = async () => {
  const { differences } = await checkOrganization(person.caller, { repair: false });
  expect(differences).toEqual([]);
};

test('a location that becomes inactive between any two calls of the generator has no open inspection', async () => {
  let createdBefore: number | undefined;
  const times = await betweenSome({
    prepare: newSample,
    work: () => generateAt(person, 0.6),
    act: async (sample) => {
      await setStatus(sample.place, 'inactive');
      createdBefore = (await openAt(sample.schedule))[sample.place];
    },
    check: async ({ schedule, places: [first, place, last] }) => {
      expect((await openAt(schedule))[place!]).toBe(createdBefore);
      await work();
      await generateAt(person, 0.7);
      expect(await openAt(schedule)).toEqual({ [first!]: 1, [last!]: 1 });
      const problems = [{ kind: 'location_inactive', location_id: place }];
      expect(await shown(person, schedule)).toMatchObject({ problems });
    },
  });
  expect(times).toBeGreaterThan(3);
  await expectConsistent();
});

test('a location that is active again between any two calls of the generator has one inspection a day', async () => {
  const times = await betweenSome({
    prepare: async () => {
      const sample = await newSample();
      await setStatus(sample.place, 'inactive');
      await work();
      return sample;
    },
    work: () => generateAt(person, 0.4),
    act: ({ place }) => setStatus(place, 'active'),
    check: async ({ schedule, places }) => {
      await work();
      await generateAt(person, 1.6);
      const open = await openAt(schedule);
      expect(Object.keys(open).toSorted()).toEqual(places.toSorted());
      expect(open[places[0]!]).toBe(2);
      expect(open[places[1]!]).toBe(2);
      expect(await shown(person, schedule)).toMatchObject({ problems: [] });
    },
  });
  expect(times).toBeGreaterThan(0);
  await expectConsistent();
});

test('a location that is deleted between any two calls of the generator stops none of the others', async () => {
  const query = { from_schedules: 'remove' };
  const times = await betweenSome({
    prepare: newSample,
    work: () => generateAt(person, 0.6),
    // Refused once it has an inspection.
    act: ({ place }) => person.try.locations.delete({ ...at(place), query }),
    check: async ({ schedule, places, place }) => {
      await work();
      await generateAt(person, 0.7);
      const { location_ids, problems } = await shown(person, schedule);
      const isDeleted = !location_ids.includes(place);
      expect(Object.keys(await openAt(schedule)).toSorted()).toEqual(
        places.filter((id) => id !== place || !isDeleted).toSorted(),
      );
      expect(problems).toEqual([]);
    },
  });
  expect(times).toBeGreaterThan(3);
  await expectConsistent();
});

test('a deletion that is killed between any two calls has happened in all schedules, or in none', async () => {
  const query = { from_schedules: 'remove' };
  const outcomes = new Set<number>();
  await killedAtPlaces(async ({ fault }) => {
    const { schedule, places, place } = await newSample();
    const fields = { template_family_id, location_ids: places.slice(0, 2) };
    const other = await newSchedule(person, fields);
    await withFault(fault, () => person.try.locations.delete({ ...at(place), query }));
    await work();
    const named = await Promise.all([schedule, other].map((each) => shown(person, each)));
    const naming = named.filter(({ location_ids }) => location_ids.includes(place)).length;
    outcomes.add(naming);
    const { status } = await person.try.locations.delete({ ...at(place), query });
    expect([naming, status]).toEqual(naming === 0 ? [0, 404] : [2, 204]);
  });
  expect(outcomes).toEqual(new Set([0, 2]));
  await expectConsistent();
});

test('a worker that is killed between any two calls leaves what the next one completes', async () => {
  const { schedule, places, place } = await newSample();
  await generateAt(person, 0.6);
  for (const status of ['inactive', 'active'] as const) {
    await setStatus(place, status);
    for (let commands = 0, isReached = true; isReached; commands += 1) {
      const killing = killAfter(commands, commands % 2 === 0);
      await withFault(killing.fault, () => followLocation(person.caller, { location_id: place })).catch(
        (error: unknown) => {
          if (!killing.isReached()) throw error;
        },
      );
      isReached = killing.isReached();
    }
    const open = status === 'active' ? places : places.filter((id) => id !== place);
    expect(Object.keys(await openAt(schedule)).toSorted()).toEqual(open.toSorted());
    expect((await shown(person, schedule)).problems).toHaveLength(places.length - open.length);
  }
  await expectConsistent();
});
