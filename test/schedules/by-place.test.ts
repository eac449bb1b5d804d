import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import type { CalendarRow, Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { newColleague, suspend } from '../inspections/fixtures.ts';
import { newLocation } from '../locations/scenarios.ts';
import { locs } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { newPerson, type Person } from '../support/people.ts';
import { runs } from '../support/scale.ts';
import { dateIn, generateAt, inspectionsOf, newSchedule, of, shown } from './fixtures.ts';

let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
});

/** Locations with these fields. @returns their ids */
const newPlaces = async (...fields: object[]): Promise<string[]> => {
  const locations = await Promise.all(fields.map((each) => newLocation(person, each)));
  return locations.map(({ id }) => id);
};

/** When the inspections of a schedule start, by the positions of their locations. */
const startsAt = async (schedule: { id: string }, places: readonly string[]): Promise<string[][]> => {
  const inspections = await inspectionsOf(person, schedule);
  return places.map((place) =>
    inspections.flatMap(({ location_id, scheduled_for }) => (location_id === place ? scheduled_for! : [])),
  );
};

const calendar = (from: string, to: string): Promise<CalendarRow[]> =>
  person.schedules.getCalendar({ query: { from, to } });

/** Days until every occurrence of the spring of 2027 is due to be created. */
const SPRING = 90;

const SPRING_2027 = { starts_on: '2027-03-13', ends_on: '2027-03-29', create_ahead_days: 90 };
const every = (days: number, timezone = 'UTC') => ({
  rrule: `FREQ=DAILY;INTERVAL=${days}`,
  dtstart_local: '2027-03-13T09:00',
  timezone,
});

describe('with the time zones of places', () => {
  const clock = useClock();

  beforeEach(() => clock.pass((Date.parse('2026-12-10T12:00:00Z') - Date.now()) / 1_000));

  const zones = [{ timezone: 'America/New_York' }, { timezone: 'Europe/Athens' }, {}];

  test('each location starts by its own clocks, also after they have changed', async () => {
    const location_ids = await newPlaces(...zones);
    const fields = { location_ids, recurrence: every(8, 'Asia/Tokyo'), timezone: 'location' };
    const schedule = await newSchedule(person, { ...fields, ...SPRING_2027 });
    expect(schedule.timezone).toBe('location');
    await generateAt(person, SPRING);
    expect(await startsAt(schedule, location_ids)).toEqual([
      ['2027-03-13T14:00:00.000Z', '2027-03-21T13:00:00.000Z', '2027-03-29T13:00:00.000Z'],
      ['2027-03-13T07:00:00.000Z', '2027-03-21T07:00:00.000Z', '2027-03-29T06:00:00.000Z'],
      ['2027-03-13T00:00:00.000Z', '2027-03-21T00:00:00.000Z', '2027-03-29T00:00:00.000Z'],
    ]);
  });

  test('a day until the due date is a day of the place', async () => {
    const location_ids = await newPlaces({ timezone: 'Europe/Athens' });
    const recurrence = { ...every(1), dtstart_local: '2027-03-27T09:00' };
    const fields = { location_ids, recurrence, timezone: 'location', ends_on: '2027-03-27' };
    const schedule = await newSchedule(person, { ...fields, create_ahead_days: 90 });
    await generateAt(person, 120);
    const [inspection] = await inspectionsOf(person, schedule);
    // The clocks skip an hour in the night between.
    expect(inspection).toMatchObject({
      scheduled_for: '2027-03-27T07:00:00.000Z',
      due_at: '2027-03-28T06:00:00.000Z',
    });
  });

  test('a new schedule creates an occurrence where it lies ahead, and not where it has begun', async () => {
    const location_ids = await newPlaces(
      { timezone: 'Pacific/Kiritimati' },
      { timezone: 'UTC' },
      { timezone: 'Pacific/Honolulu' },
    );
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const date = soon.slice(0, 10);
    const recurrence = { rrule: 'FREQ=DAILY', dtstart_local: soon.slice(0, 16), timezone: 'UTC' };
    const fields = { location_ids, recurrence, timezone: 'location', starts_on: date, ends_on: date };
    const schedule = await newSchedule(person, fields);
    await generateAt(person, 0);
    const starts = await startsAt(schedule, location_ids);
    expect(starts.map(({ length }) => length)).toEqual([0, 1, 1]);
    await generateAt(person, 3);
    expect(await startsAt(schedule, location_ids)).toEqual(starts);
    expect((await shown(person, schedule)).status).toBe('ended');
  });

  test('a schedule that gets them moves nothing that exists, and creates nothing twice', async () => {
    const location_ids = await newPlaces(...zones);
    const recurrence = every(8, 'Asia/Tokyo');
    const schedule = await newSchedule(person, { location_ids, recurrence, ...SPRING_2027 });
    await generateAt(person, 8);
    const before = await startsAt(schedule, location_ids);
    expect(before.map(({ length }) => length)).toEqual([1, 1, 1]);
    await person.schedules.update({ ...of(schedule), body: { timezone: 'location' } });
    await generateAt(person, SPRING);
    const after = await startsAt(schedule, location_ids);
    expect(after.map(([first]) => first)).toEqual(before.flat());
    expect(after.map((starts) => starts.slice(1))).toEqual([
      ['2027-03-21T13:00:00.000Z', '2027-03-29T13:00:00.000Z'],
      ['2027-03-21T07:00:00.000Z', '2027-03-29T06:00:00.000Z'],
      ['2027-03-21T00:00:00.000Z', '2027-03-29T00:00:00.000Z'],
    ]);
  });

  test.each(['before', 'after'])(
    'an occurrence that moves %s it was created starts when the clocks of each place show its new time',
    async (when) => {
      const location_ids = await newPlaces(...zones);
      const fields = { location_ids, recurrence: every(30, 'Asia/Tokyo'), timezone: 'location' };
      const schedule = await newSchedule(person, { ...fields, ...SPRING_2027 });
      if (when === 'after') await generateAt(person, SPRING);
      const [first] = await inspectionsOf(person, schedule);
      // 15:00 in Tokyo.
      const body = { occurrence_date: '2027-03-13', action: 'move', new_at: '2027-03-15T06:00:00Z' };
      const { id: override_id } = await person.schedules.createOverride({ ...of(schedule), body });
      await generateAt(person, SPRING);
      const moved = ['2027-03-15T19:00:00.000Z', '2027-03-15T13:00:00.000Z', '2027-03-15T06:00:00.000Z'];
      expect((await startsAt(schedule, location_ids)).flat()).toEqual(moved);
      await person.schedules.deleteOverride({ params: { schedule_id: schedule.id, override_id } });
      await generateAt(person, SPRING);
      const back = ['2027-03-13T14:00:00.000Z', '2027-03-13T07:00:00.000Z', '2027-03-13T00:00:00.000Z'];
      expect((await startsAt(schedule, location_ids)).flat()).toEqual(back);
      if (first) expect((await inspectionsOf(person, schedule)).map(({ id }) => id)).toContain(first.id);
    },
  );

  const ZONES = [
    'America/New_York',
    'Europe/Athens',
    'Asia/Kathmandu',
    'Pacific/Apia',
    'Pacific/Honolulu',
    null,
  ];
  const DATES = Array.from({ length: 21 }, (_, day) =>
    Temporal.PlainDate.from('2027-03-10').add({ days: day }).toString(),
  );

  /** When the clocks of a zone show a time: the first of two, and the next that there is. */
  const momentOf = (date: string, time: string, zone: string): string =>
    new Date(
      Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime(zone).epochMilliseconds,
    ).toISOString();

  test('each place has exactly its occurrences, and none twice, as the calendar has said before', async () => {
    const location_ids = await newPlaces(...ZONES.map((timezone) => ({ timezone })));
    const { template_family_id } = await newSchedule(person);
    await fc.assert(
      fc.asyncProperty(
        fc.subarray([...location_ids.keys()], { minLength: 1 }),
        fc.constantFrom('00:00', '02:30', '09:00', '23:59'),
        fc.constantFrom('UTC', 'Asia/Tokyo', 'America/Los_Angeles'),
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.integer({ min: 70, max: 130 }), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (positions, time, timezone, interval, runs, isList) => {
          const some = positions.map((position) => location_ids[position]!);
          const schedule = await newSchedule(person, {
            template_family_id,
            ...(isList ? { places: { location_ids: some } } : { location_ids: some }),
            timezone: 'location',
            create_ahead_days: 20,
            recurrence: {
              rrule: `FREQ=DAILY;INTERVAL=${interval}`,
              dtstart_local: `2027-03-10T${time}`,
              timezone,
            },
            ends_on: '2027-03-30',
          });
          const expected = positions.flatMap((position) =>
            DATES.filter((_, day) => day % interval === 0).map(
              (date) => `${location_ids[position]} ${momentOf(date, time, ZONES[position] ?? timezone)}`,
            ),
          );
          const rows = await calendar('2027-03-08', '2027-04-02');
          const projected = rows
            .filter(({ schedule_id }) => schedule_id === schedule.id)
            .map(({ location_id, starts_at }) => `${location_id} ${starts_at}`);
          expect(projected.toSorted()).toEqual(expected.toSorted());
          for (const days of [...runs.toSorted((a, b) => a - b), 140]) await generateAt(person, days);
          const created = (await inspectionsOf(person, schedule)).map(
            ({ location_id, scheduled_for }) => `${location_id} ${scheduled_for}`,
          );
          expect(created.toSorted()).toEqual(expected.toSorted());
          await person.schedules.delete(of(schedule));
        },
      ),
      { numRuns: runs(8) },
    );
  });

  test('the calendar shows the occurrences in the order of their starts, whatever the zones', async () => {
    const location_ids = await newPlaces(...ZONES.map((timezone) => ({ timezone })));
    await newSchedule(person, { location_ids, timezone: 'location', recurrence: every(1) });
    const rows = await calendar('2027-03-20', '2027-03-24');
    const starts = rows.map(({ starts_at }) => starts_at);
    expect(starts).toHaveLength(5 * ZONES.length);
    expect(starts).toEqual(starts.toSorted());
  });
});

describe('with the people of places', () => {
  const assigned = async (schedule: Schedule, places: readonly string[]): Promise<string[][]> => {
    const inspections = await inspectionsOf(person, schedule);
    return places.map((place) =>
      inspections
        .filter(({ location_id }) => location_id === place)
        .flatMap(({ participants }) => participants.map(({ user_id }) => user_id)),
    );
  };

  test('each location has its own inspectors, and the schedule’s where it has none', async () => {
    const [otto, eva, left] = await Promise.all(
      ['Otto', 'Eva', 'Left'].map((name) => newColleague(person, name)),
    );
    const of = (...members: { user_id: string }[]) => ({
      people: members.map(({ user_id }) => ({ user_id, role: 'manager' })),
    });
    const location_ids = await newPlaces(of(otto!), of(eva!, otto!, left!), {}, of(left!));
    await suspend(person, left!.user_id);
    const own = person.caller.user_id;
    const fields = { location_ids, assignees: 'by_place', assignee_ids: [own], create_ahead_days: 1 };
    const schedule = await newSchedule(person, fields);
    expect(schedule.assignees).toBe('by_place');
    const rows = await calendar(dateIn(0), dateIn(0));
    const shownTo = location_ids.map((id) => rows.find((row) => row.location_id === id)!.assignee_ids);
    const expected = [[otto!.user_id], [eva!.user_id, otto!.user_id], [own], [own]];
    expect(shownTo).toEqual(expected);
    await generateAt(person, 0);
    expect(await assigned(schedule, location_ids)).toEqual(expected);
  });

  test('the approver of a schedule does not inspect, even at the own location', async () => {
    const people = [{ user_id: person.adminId, role: 'manager' }];
    const location_ids = await newPlaces({ people });
    const fields = { location_ids, assignees: 'by_place', approver_id: person.adminId, create_ahead_days: 1 };
    const schedule = await newSchedule(person, fields);
    await generateAt(person, 0);
    const [inspection] = await inspectionsOf(person, schedule);
    expect(inspection!.participants.map(({ user_id }) => user_id)).not.toContain(person.adminId);
  });

  test('others take over while an override says so, and the own people come back', async () => {
    const [otto, eva] = await Promise.all(['Otto', 'Eva'].map((name) => newColleague(person, name)));
    const location_ids = await newPlaces({ people: [{ user_id: otto!.user_id, role: 'inspector' }] }, {});
    const schedule = await newSchedule(person, { location_ids, assignees: 'by_place', create_ahead_days: 1 });
    await generateAt(person, 0);
    const body = { occurrence_date: dateIn(0), action: 'reassign', assignee_ids: [eva!.user_id] };
    const { id: override_id } = await person.schedules.createOverride({ ...of(schedule), body });
    expect(await assigned(schedule, location_ids)).toEqual([[eva!.user_id], [eva!.user_id]]);
    await person.schedules.deleteOverride({ params: { schedule_id: schedule.id, override_id } });
    expect(await assigned(schedule, location_ids)).toEqual([[otto!.user_id], []]);
  });

  test('422 for other words', async () => {
    const [body] = [{ title: 'Walk', timezone: 'UTC', assignees: 'all' }];
    const answer = await person.try.schedules.create({ body });
    expect(locs(answer)).toEqual(expect.arrayContaining(['body.timezone', 'body.assignees']));
  });
});
