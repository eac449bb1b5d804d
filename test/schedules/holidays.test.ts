import { MAX_SHIFT_DAYS } from '../../shared/domain/schedules/holidays.ts';
import { replaceLocation } from '../../shared/schedules/relocations.ts';
import type { CalendarRow } from '../../shared/schemas/schedules/schedule.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { newLocation } from '../locations/scenarios.ts';
import { newRegion } from '../regions/scenarios.ts';
import { locs } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { newPerson, type Person } from '../support/people.ts';
import { DAY, generateAt, inspectionsOf, newSchedule, of } from './fixtures.ts';

const clock = useClock();
let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
  clock.pass((Date.parse('2026-12-10T12:00:00Z') - Date.now()) / 1_000);
});

/** Christmas 2026: a Friday and a Saturday. */
const CHRISTMAS = [
  { date: '2026-12-26', name: 'Boxing Day' },
  { date: '2026-12-25', name: 'Christmas Day' },
];

const newCalendar = (fields: object = {}) =>
  person.schedules.createHolidayCalendar({ body: { name: 'Hamburg', dates: CHRISTMAS, ...fields } });

const one = ({ id }: { id: string }) => ({ params: { calendar_id: id } });

const ics = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', ...lines, 'END:VCALENDAR', ''].join('\r\n');

const event = (summary: string, ...lines: string[]) => [
  'BEGIN:VEVENT',
  `UID:${summary}`,
  'DTSTAMP:20260101T000000Z',
  `SUMMARY:${summary}`,
  ...lines,
  'END:VEVENT',
];

describe('calendars of holidays', () => {
  test('201, 200 and 204: a calendar is made, changed, listed and deleted', async () => {
    const calendar = await newCalendar();
    expect(calendar).toMatchObject({
      name: 'Hamburg',
      dates: CHRISTMAS.toReversed(),
      weekend_days: ['saturday', 'sunday'],
      version: 1,
    });
    expect(calendar).not.toHaveProperty('ics');
    const dates = [{ date: '2027-01-01' }];
    const changed = await person.schedules.updateHolidayCalendar({ ...one(calendar), body: { dates } });
    expect(changed).toMatchObject({ dates: [{ date: '2027-01-01', name: null }], version: 2 });
    expect(await person.schedules.getHolidayCalendar(one(calendar))).toEqual(changed);
    expect(await person.schedules.listHolidayCalendars({ query: {} })).toEqual([changed]);
    await person.schedules.deleteHolidayCalendar(one(calendar));
    expect(await person.schedules.listHolidayCalendars({ query: {} })).toEqual([]);
  });

  test('201 with the days of a file: single ones, several in a row, and those that recur', async () => {
    const text = ics(
      ...event('Easter', 'DTSTART;VALUE=DATE:20270326', 'DTEND;VALUE=DATE:20270330'),
      ...event('New Year', 'DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=YEARLY'),
      ...event('Fair', 'DTSTART:20270501T080000Z', 'DTEND:20270501T170000Z'),
    );
    const { dates } = await newCalendar({ dates: [{ date: '2027-05-01', name: 'Labour Day' }], ics: text });
    const easter = ['2027-03-26', '2027-03-27', '2027-03-28', '2027-03-29'];
    const newYears = Array.from({ length: 11 }, (_, year) => `${2026 + year}-01-01`);
    expect(dates.map(({ date }: { date: string }) => date)).toEqual(
      [...newYears, ...easter, '2027-05-01'].toSorted(),
    );
    expect(dates).toContainEqual({ date: '2027-05-01', name: 'Labour Day' });
    expect(dates).toContainEqual({ date: '2027-03-29', name: 'Easter' });
  });

  test('422 for a text that is no file, and for too many days', async () => {
    const daily = ics(...event('Day', 'DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=DAILY'));
    for (const text of ['nothing', 'BEGIN:VCALENDAR', daily]) {
      const body = { name: 'Hamburg', ics: text };
      expect(locs(await person.try.schedules.createHolidayCalendar({ body }))).toEqual(['body.ics']);
    }
  });

  test('422 for a rule that never occurs, occurs within a day, or counts from no date', async () => {
    const refused = [
      ['DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30'],
      ['DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30'],
      ['DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=HOURLY'],
      ['DTSTART;VALUE=DATE:00010101'],
    ];
    for (const lines of refused) {
      const body = { name: 'Hamburg', ics: ics(...event('Never', ...lines)) };
      const answer = await person.try.schedules.createHolidayCalendar({ body });
      expect([lines, answer.status, locs(answer)]).toEqual([lines, 422, ['body.ics']]);
    }
  });

  test('201 without the dates that an event leaves out', async () => {
    const lines = ['DTSTART;VALUE=DATE:20260101', 'RRULE:FREQ=YEARLY;COUNT=3', 'EXDATE;VALUE=DATE:20270101'];
    const { dates } = await newCalendar({ dates: [], ics: ics(...event('New Year', ...lines)) });
    expect(dates.map(({ date }: { date: string }) => date)).toEqual(['2026-01-01', '2028-01-01']);
  });

  test('201 with the days that SKIP takes in shorter months, and 422 for another calendar', async () => {
    const rule = (rscale: string) => `RRULE:RSCALE=${rscale};FREQ=MONTHLY;SKIP=BACKWARD;COUNT=3`;
    const textOf = (rscale: string) => ics(...event('Stock', 'DTSTART;VALUE=DATE:20270131', rule(rscale)));
    const { dates } = await newCalendar({ dates: [], ics: textOf('GREGORIAN') });
    expect(dates.map(({ date }: { date: string }) => date)).toEqual([
      '2027-01-31',
      '2027-02-28',
      '2027-03-31',
    ]);
    const body = { name: 'Hamburg', ics: textOf('CHINESE') };
    expect(locs(await person.try.schedules.createHolidayCalendar({ body }))).toEqual(['body.ics']);
  });

  test('409 while a schedule names it', async () => {
    const calendar = await newCalendar();
    const schedule = await newSchedule(person, { calendar_id: calendar.id, on_holiday: 'skip' });
    expect((await person.try.schedules.deleteHolidayCalendar(one(calendar))).status).toBe(409);
    await person.schedules.update({ ...of(schedule), body: { calendar_id: null, on_holiday: null } });
    expect((await person.try.schedules.deleteHolidayCalendar(one(calendar))).status).toBe(204);
  });

  test('400 for a calendar of another organization, and 422 for holidays of none', async () => {
    const schedule = await newSchedule(person);
    const other = await newPerson('Quay');
    const { id } = await other.schedules.createHolidayCalendar({ body: { name: 'Rotterdam' } });
    const patch = (body: object) => person.try.schedules.update({ ...of(schedule), body });
    expect((await patch({ calendar_id: id })).status).toBe(400);
    expect(locs(await patch({ on_holiday: 'skip' }))).toEqual(['body.on_holiday']);
  });
});

describe('an occurrence on a holiday', () => {
  const DAILY = { rrule: 'FREQ=DAILY', dtstart_local: '2026-12-24T09:00', timezone: 'Europe/Berlin' };

  const make = async (on_holiday: string, fields: object = {}) =>
    newSchedule(person, {
      recurrence: DAILY,
      ends_on: '2026-12-28',
      create_ahead_days: 1,
      calendar_id: (await newCalendar()).id,
      on_holiday,
      ...fields,
    });

  const held = async (schedule: { id: string }): Promise<string[]> =>
    (await inspectionsOf(person, schedule)).map(
      ({ occurrence_date, scheduled_for }) => `${occurrence_date} ${scheduled_for!.slice(0, 10)}`,
    );

  test.each([
    ['skip', ['2026-12-24 2026-12-24', '2026-12-27 2026-12-27', '2026-12-28 2026-12-28']],
    [
      'before',
      [
        '2026-12-24 2026-12-24',
        '2026-12-25 2026-12-24',
        '2026-12-26 2026-12-24',
        '2026-12-27 2026-12-27',
        '2026-12-28 2026-12-28',
      ],
    ],
    [
      'after',
      [
        '2026-12-24 2026-12-24',
        '2026-12-27 2026-12-27',
        '2026-12-25 2026-12-28',
        '2026-12-26 2026-12-28',
        '2026-12-28 2026-12-28',
      ],
    ],
  ])('is held as %s says, and the calendar has said so before', async (on_holiday, expected) => {
    const schedule = await make(on_holiday);
    const query = { from: '2026-12-20', to: '2026-12-31' };
    const rows: CalendarRow[] = await person.schedules.getCalendar({ query });
    const projected = rows.filter(({ status }) => status === 'projected');
    const shown = projected.map((row) => `${row.occurrence_date} ${row.starts_at.slice(0, 10)}`);
    expect(shown.toSorted()).toEqual(expected.toSorted());
    const starts = rows.map(({ starts_at }) => starts_at);
    expect(starts).toEqual(starts.toSorted());
    expect(rows.filter(({ status }) => status === 'skipped')).toHaveLength(on_holiday === 'skip' ? 2 : 0);
    for (let days = 0; days < 22; days += 1) await generateAt(person, days);
    expect((await held(schedule)).toSorted()).toEqual(expected.toSorted());
  });

  test('counts for the location in the place of another one, as long as it can be moved to a later day', async () => {
    const [from, to] = [await newLocation(person), await newLocation(person)];
    const schedule = await make('after', { location_ids: [from.id] });
    const { caller } = person;
    const date = new Date(Date.now() - MAX_SHIFT_DAYS * DAY).toISOString().slice(0, 10);
    const occurrence = { ...keys.occurrence(caller, schedule.id, date, from.id), inspection_id: schedule.id };
    await change(caller, () => ({ writes: [write.put(occurrence)], reply: undefined }));
    const writes = await change(caller, async (work) => ({
      writes: [],
      reply: await replaceLocation(work, schedule.id, from.id, to.id),
    }));
    await change(caller, () => ({ writes: writes!, reply: undefined }));
    expect(await getRow(caller, keys.occurrence(caller, schedule.id, date, to.id))).toMatchObject({
      inspection_id: schedule.id,
    });
  });

  test('is left out where the region of its places, or one above, has a calendar, which then stays', async () => {
    const calendar = await newCalendar();
    const country = await newRegion(person, { calendar_id: calendar.id });
    const district = await newRegion(person, { parent_id: country.id });
    await person.locations.create({ body: { name: 'Shop', region_id: district.id } });
    await make('skip', { calendar_id: null, places: { region_id: district.id } });
    const skipped = async (): Promise<number> => {
      const query = { from: '2026-12-20', to: '2026-12-31' };
      const rows: CalendarRow[] = await person.schedules.getCalendar({ query });
      return rows.filter(({ status }) => status === 'skipped').length;
    };
    expect(await skipped()).toBe(2);
    expect((await person.try.schedules.deleteHolidayCalendar(one(calendar))).status).toBe(409);
    await person.regions.update({ params: { region_id: country.id }, body: { calendar_id: null } });
    expect(await skipped()).toBe(0);
    expect((await person.try.schedules.deleteHolidayCalendar(one(calendar))).status).toBe(204);
  });

  test('is created in time when it is held earlier, and none is created long before', async () => {
    const schedule = await make('before', { recurrence: { ...DAILY, dtstart_local: '2026-12-25T09:00' } });
    await generateAt(person, 12.7);
    expect(await held(schedule)).toEqual([]);
    // A day before nine o'clock on Christmas Eve.
    await generateAt(person, 12.9);
    const expected = ['2026-12-25 2026-12-24', '2026-12-26 2026-12-24'];
    expect((await held(schedule)).toSorted()).toEqual(expected);
  });

  test('that was moved by an override goes back to the day on which it is held', async () => {
    const schedule = await make('after', { create_ahead_days: 30 });
    await generateAt(person, 0);
    const body = { occurrence_date: '2026-12-25', action: 'move', new_at: '2026-12-30T08:00:00Z' };
    const { id: override_id } = await person.schedules.createOverride({ ...of(schedule), body });
    expect(await held(schedule)).toContain('2026-12-25 2026-12-30');
    await person.schedules.deleteOverride({ params: { schedule_id: schedule.id, override_id } });
    expect(await held(schedule)).toContain('2026-12-25 2026-12-28');
  });
});

describe('POST /inspection-schedules/preview with a calendar of holidays', () => {
  const FRIDAYS = { rrule: 'FREQ=WEEKLY', dtstart_local: '2026-12-18T09:00', timezone: 'Europe/Berlin' };
  const startsOf = async (body: object): Promise<string[]> => {
    const { occurrences } = await person.schedules.preview({
      body: { recurrence: FRIDAYS, count: 3, ...body },
    });
    return occurrences.map(({ starts_at }: { starts_at: string }) => starts_at.slice(0, 10));
  };

  test.each([
    ['skip', ['2026-12-18', '2027-01-01', '2027-01-08']],
    ['before', ['2026-12-18', '2026-12-24', '2027-01-01']],
    ['after', ['2026-12-18', '2026-12-28', '2027-01-01']],
    [null, ['2026-12-18', '2026-12-25', '2027-01-01']],
  ])('200 with the days on which inspections are held: on_holiday %s', async (on_holiday, days) => {
    const { id: calendar_id } = await newCalendar();
    expect(await startsOf({ calendar_id, on_holiday })).toEqual(days);
    const { id: region_id } = await newRegion(person, { calendar_id });
    expect(await startsOf({ places: { region_id }, on_holiday })).toEqual(days);
  });

  test('200 with the dates and times that the calendar then shows', async () => {
    const { id: calendar_id } = await newCalendar();
    const days = { calendar_id, on_holiday: 'after', recurrence: FRIDAYS };
    const { id } = await newSchedule(person, days);
    const { occurrences } = await person.schedules.preview({ body: { ...days, count: 3 } });
    const rows: CalendarRow[] = await person.schedules.getCalendar({
      query: { from: '2026-12-11', to: '2027-01-03', schedule_id: id },
    });
    expect(occurrences).toMatchObject(
      rows.map(({ occurrence_date, starts_at, due_at }) => ({ occurrence_date, starts_at, due_at })),
    );
    expect(rows).toHaveLength(3);
  });

  test('400 for a calendar that does not exist, also of another organization, and 422 for holidays of none', async () => {
    const stranger = await newPerson('Stranger');
    const { id: calendar_id } = await stranger.schedules.createHolidayCalendar({ body: { name: 'Theirs' } });
    const body = { recurrence: FRIDAYS, on_holiday: 'skip' };
    expect(await person.try.schedules.preview({ body: { ...body, calendar_id } })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('calendar_id') },
    });
    const answer = await person.try.schedules.preview({ body });
    expect([answer.status, locs(answer)]).toEqual([422, ['body.on_holiday']]);
  });
});
