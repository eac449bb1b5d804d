import { generate } from '../../shared/schedules/generator.ts';
import type { Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { newColleague } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { impatient, installFaults, killAfter, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { betweenSome } from '../support/places.ts';
import { scaled } from '../support/scale.ts';
import { dateIn, generateAt, inDays, inspectionsOf, newSchedule, of, shown } from './fixtures.ts';

installFaults();
impatient();

/** Inspections of several transactions on each day. */
const PLACES = scaled(10, 25);

let person: Person;
let template_family_id: string;
let location_ids: string[];

beforeEach(async () => {
  person = await newPerson('Harbour');
  ({ template_family_id } = await newSchedule(person));
  const otto = await newColleague(person, 'Otto');
  const people = [{ user_id: otto.user_id, role: 'inspector' }];
  location_ids = await Promise.all(
    Array.from({ length: PLACES }, async (_, position) => {
      const fields = position % 2 === 0 ? { people, timezone: 'Europe/Athens' } : {};
      return (await newLocation(person, fields)).id;
    }),
  );
});

const newSample = (fields: object = {}): Promise<Schedule> =>
  newSchedule(person, {
    template_family_id,
    places: {},
    assignees: 'by_place',
    create_ahead_days: 0,
    ...fields,
  });

/** The places of all inspections of a schedule that nobody has archived, with the dates. */
const openPlaces = async (schedule: { id: string }): Promise<string[]> => {
  const open = (await inspectionsOf(person, schedule)).filter(({ status }) => status === 'scheduled');
  return open.map(({ occurrence_date, location_id }) => `${occurrence_date} ${location_id}`).toSorted();
};

const everyPlaceOn = (...days: number[]): string[] =>
  days.flatMap((day) => location_ids.map((id) => `${dateIn(day)} ${id}`)).toSorted();

const expectConsistent = async () => {
  const { differences } = await checkOrganization(person.caller, { repair: false });
  expect(differences).toEqual([]);
};

test.each([['a filter'], ['a list']])(
  'a generator that is killed between any two calls creates each occurrence of %s once',
  async (form) => {
    const places = form === 'a list' ? { location_ids } : {};
    const schedule = await newSample({ places, create_ahead_days: 2 });
    let kills = 0;
    for (let isReached = true; isReached; kills += 1) {
      const killing = killAfter(kills * scaled(2, 1), kills % 2 === 0);
      await withFault(killing.fault, () => generateAt(person, 0)).catch((error: unknown) => {
        if (!killing.isReached()) throw error;
      });
      isReached = killing.isReached();
    }
    expect(kills).toBeGreaterThan(5);
    expect(await openPlaces(schedule)).toEqual(everyPlaceOn(0, 1));
    expect((await shown(person, schedule)).generated_count).toBe(2 * PLACES);
    await expectConsistent();
  },
);

test('turns that end after any transaction, and two generators at once, create each occurrence once', async () => {
  const schedule = await newSample();
  const key = keys.one(person.caller, 'SCHEDULE', schedule.id);
  const turn = async (days: number) => {
    const row = (await getRow(person.caller, key))!;
    let looks = 0;
    await generate(row, new Date(inDays(days)), () => (looks += 1) > 2);
  };
  for (let turns = 0; turns < 20; turns += 1) await Promise.all([turn(1.6), turn(1.6)]);
  expect(await openPlaces(schedule)).toEqual(everyPlaceOn(0, 1));
  await expectConsistent();
});

describe('beside a generator, between any two of its calls,', () => {
  const update = (schedule: Schedule, body: object) => person.schedules.update({ ...of(schedule), body });

  test.each<
    [what: string, act: (schedule: Schedule) => Promise<unknown>, expected: (places: string[]) => void]
  >([
    [
      'another generator runs',
      () => generateAt(person, 0.6),
      (places) => expect(places).toEqual(everyPlaceOn(0)),
    ],
    [
      'the schedule gets another title',
      (schedule) => update(schedule, { title: 'Round' }),
      (places) => expect(places).toEqual(everyPlaceOn(0)),
    ],
    [
      'the schedule gets fewer places',
      (schedule) => update(schedule, { places: { location_ids: location_ids.slice(0, 2) } }),
      (places) => {
        const [first, second] = location_ids;
        expect(places).toEqual(expect.arrayContaining([first, second].map((id) => `${dateIn(0)} ${id}`)));
      },
    ],
    [
      'the occurrence is cancelled',
      (schedule) =>
        person.schedules.createOverride({
          ...of(schedule),
          body: { occurrence_date: dateIn(0), action: 'cancel' },
        }),
      (places) => expect(places).toEqual([]),
    ],
  ])('%s, and no place has an occurrence twice', async (_, act, expected) => {
    const times = await betweenSome({
      prepare: () => newSample(),
      work: () => generateAt(person, 0.6),
      act,
      check: async (schedule) => {
        await generateAt(person, 0.7);
        const places = await openPlaces(schedule);
        expect(new Set(places).size).toBe(places.length);
        expected(places);
        await person.schedules.delete(of(schedule));
      },
    });
    expect(times).toBeGreaterThan(5);
  });
});
