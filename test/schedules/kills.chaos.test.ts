import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { newColleague } from '../inspections/fixtures.ts';
import { impatient, installFaults, killAfter, withFault } from '../support/faults.ts';
import { newPerson, type Person } from '../support/people.ts';
import { betweenSome } from '../support/places.ts';
import { scaled } from '../support/scale.ts';
import {
  dateIn,
  DAY,
  generateAt,
  inDays,
  inspectionsOf,
  manyLocations,
  newSchedule,
  of,
  shown,
} from './fixtures.ts';

installFaults();
impatient();

/** Runs work again and again, each time killed one call later, until it ends by itself. @returns how often it was killed */
const killedEverywhere = async (work: () => Promise<unknown>): Promise<number> => {
  for (let kills = 0; ; kills += 1) {
    const { fault, isReached } = killAfter(kills * scaled(4, 1), kills % 2 === 0);
    await withFault(fault, work).catch((error: unknown) => {
      if (!isReached()) throw error;
    });
    if (!isReached()) return kills;
  }
};

let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
});

const expectConsistent = async () => {
  const { differences } = await checkOrganization(person.caller, { repair: false });
  // The fixture's locations lack attributes, and stand in no list.
  expect(
    differences
      .map(({ what }) => what)
      .filter((what) => !/^(location by name|attributes of LOCATION)/.test(what)),
  ).toEqual([]);
};

test('a generator that is killed between any two calls creates each occurrence once', async () => {
  const location_ids = await manyLocations(person, 25);
  const schedule = await newSchedule(person, {
    location_ids,
    create_ahead_days: 2,
    assignee_ids: [person.caller.user_id],
  });
  expect(await killedEverywhere(() => generateAt(person, 0))).toBeGreaterThan(3);
  await generateAt(person, 0);
  const inspections = await inspectionsOf(person, schedule);
  const places = inspections.map(({ occurrence_date, location_id }) => `${occurrence_date} ${location_id}`);
  expect(new Set(places).size).toBe(50);
  expect(places).toHaveLength(50);
  expect((await shown(person, schedule)).generated_count).toBe(50);
  await expectConsistent();
});

test('an override that is killed between any two calls is whole after the generator, and after it is asked for again', async () => {
  const location_ids = await manyLocations(person, 25);
  const { template_family_id } = await newSchedule(person);
  const occurrence_date = dateIn(0);
  const body = { occurrence_date, action: 'cancel' };
  let outcomes = 0;
  for (let commands = 1, isWhole = false; !isWhole; commands += scaled(12, 4)) {
    const schedule = await newSchedule(person, { template_family_id, location_ids, create_ahead_days: 0 });
    await generateAt(person, 0.6);
    const ask = () => person.try.schedules.createOverride({ ...of(schedule), body });
    const { fault, isReached } = killAfter(commands, outcomes % 2 === 0);
    const { status } = await withFault(fault, ask);
    isWhole = !isReached();
    expect(status).toBe(isWhole ? 201 : 500);

    await generateAt(person, 0.7);
    const isCancelled = (await shown(person, schedule)).overrides.length === 1;
    const states = async () => (await inspectionsOf(person, schedule)).map((each) => each.status);
    expect(await states()).toEqual(Array(25).fill(isCancelled ? 'archived' : 'scheduled'));
    expect((await ask()).status).toBe(isCancelled ? 409 : 201);
    expect(await states()).toEqual(Array(25).fill('archived'));
    outcomes += 1;
  }
  expect(outcomes).toBeGreaterThan(scaled(2, 3));
  await expectConsistent();
});

describe('beside a generator, between any two of its calls,', () => {
  let template_family_id: string;
  let location_ids: string[];
  let other: { user_id: string };

  beforeEach(async () => {
    location_ids = await manyLocations(person, 3);
    ({ template_family_id } = await newSchedule(person));
    other = await newColleague(person, 'Otto');
  });

  const override = (schedule: Schedule, body: object) =>
    person.schedules.createOverride({
      ...of(schedule),
      body: { occurrence_date: dateIn(0), ...body },
    });

  const update = (schedule: Schedule, body: object) => person.schedules.update({ ...of(schedule), body });

  const later = inDays(0.65);

  test.each<
    [what: string, act: (schedule: Schedule) => Promise<unknown>, expected: (inspection: Inspection) => void]
  >([
    [
      'an occurrence is cancelled: none of its inspections is open',
      (schedule) => override(schedule, { action: 'cancel' }),
      ({ status }) => expect(status).toBe('archived'),
    ],
    [
      'an occurrence is moved: all of its inspections are',
      (schedule) => override(schedule, { action: 'move', new_at: later }),
      ({ scheduled_for, due_at }) => {
        expect(scheduled_for).toBe(later);
        expect(Date.parse(due_at!) - Date.parse(later)).toBe(DAY);
      },
    ],
    [
      'an occurrence changes hands: all of its inspections do',
      (schedule) => override(schedule, { action: 'reassign', assignee_ids: [other.user_id] }),
      ({ participants }) => expect(participants.map(({ user_id }) => user_id)).toEqual([other.user_id]),
    ],
    [
      'the schedule is paused',
      (schedule) => update(schedule, { status: 'paused' }),
      ({ status }) => expect(status).toBe('scheduled'),
    ],
    [
      'the schedule gets another rule',
      (schedule) => update(schedule, { recurrence: { rrule: 'FREQ=DAILY;COUNT=3000' } }),
      ({ status }) => expect(status).toBe('scheduled'),
    ],
    [
      'the schedule is deleted',
      (schedule) => person.schedules.delete(of(schedule)),
      ({ status }) => expect(status).toBe('scheduled'),
    ],
    [
      'another generator runs',
      () => generateAt(person, 0.6),
      ({ status }) => expect(status).toBe('scheduled'),
    ],
  ])('%s, and none is created twice', async (_, act, expected) => {
    const places = await betweenSome({
      prepare: () => newSchedule(person, { template_family_id, location_ids, create_ahead_days: 0 }),
      work: () => generateAt(person, 0.6),
      act,
      check: async (schedule) => {
        await generateAt(person, 0.7);
        const inspections = await inspectionsOf(person, schedule);
        for (const inspection of inspections) expected(inspection);
        const at = inspections.map(({ location_id }) => location_id);
        expect(new Set(at).size).toBe(at.length);
        const { status, body } = await person.try.schedules.get(of(schedule));
        if (status === 404) return;
        expect(body.generated_count).toBe(at.length);
        if (body.status === 'active' && body.overrides[0]?.action !== 'cancel') expect(at).toHaveLength(3);
      },
    });
    expect(places).toBeGreaterThan(3);
    await expectConsistent();
  });
});
