import ICAL from 'ical.js';
import type { CalendarRow } from '../../shared/schemas/schedules/schedule.ts';
import { newColleague, newLocation, start } from '../inspections/fixtures.ts';
import { as, locs } from '../support/call.ts';
import { useClock } from '../support/clock.ts';
import { newPerson, type Person } from '../support/people.ts';
import { DAILY, dateIn, generateAt, inDays, inspectionsOf, newSchedule, of } from './fixtures.ts';

const clock = useClock();

let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
});

const calendar = (query: object = {}, key = person.readOnlyKey): Promise<CalendarRow[]> =>
  as(key).schedules.getCalendar({ query: { from: dateIn(0), to: dateIn(6), ...query } });

const override = (schedule: { id: string }, body: object) =>
  person.schedules.createOverride({ ...of(schedule), body });

/** Rows in short, such as "+2 projected": so many days from today. */
const inShort = (rows: CalendarRow[]): string[] =>
  rows.map(({ starts_at, status }) => {
    const days = (Date.parse(starts_at.slice(0, 10)) - Date.parse(dateIn(0))) / 86_400_000;
    return `+${days} ${status}`;
  });

describe('GET /inspection-schedules/calendar', () => {
  test('200 shows the inspections that exist, then those to come', async () => {
    const schedule = await newSchedule(person, {
      create_ahead_days: 2,
      assignee_ids: [person.caller.user_id],
    });
    await generateAt(person, 0);
    const inspections = await inspectionsOf(person, schedule);
    const rows = await calendar({ from: dateIn(-3), to: dateIn(4) });
    expect(rows.map(({ kind }) => kind).slice(0, 3)).toEqual(['inspection', 'inspection', 'projected']);
    expect(rows.map(({ starts_at }) => starts_at)).toEqual(rows.map(({ starts_at }) => starts_at).toSorted());
    expect(rows[0]).toEqual({
      kind: 'inspection',
      schedule_id: schedule.id,
      title: 'Daily walk',
      inspection_id: inspections[0]!.id,
      occurrence_date: inspections[0]!.occurrence_date,
      starts_at: inspections[0]!.scheduled_for,
      due_at: inspections[0]!.due_at,
      location_id: null,
      asset_id: null,
      assignee_ids: [person.caller.user_id],
      status: 'scheduled',
      is_overdue: false,
      is_missed: false,
      override: null,
    });
    expect(rows[2]).toMatchObject({
      inspection_id: null,
      title: 'Daily walk',
      assignee_ids: [person.caller.user_id],
      status: 'projected',
      override: null,
    });
    expect(Date.parse(rows[2]!.due_at!) - Date.parse(rows[2]!.starts_at)).toBe(86_400_000);
    await start(person.key, inspections[0]!);
    expect((await calendar())[0]).toMatchObject({ status: 'in_progress' });
  });

  test('200 shows no occurrence again after another rule, once it has its inspection', async () => {
    const recurrence = { ...DAILY, dtstart_local: '2026-01-01T23:30' };
    const schedule = await newSchedule(person, { recurrence, create_ahead_days: 3 });
    await generateAt(person, 0);
    const created = await inspectionsOf(person, schedule);
    const timezone = 'Pacific/Honolulu';
    await person.schedules.update({ ...of(schedule), body: { recurrence: { timezone } } });
    const rows = await calendar({ from: dateIn(-1), to: dateIn(5) });
    const dates = rows.map(({ occurrence_date }) => occurrence_date);
    expect(dates).toEqual([...new Set(dates)]);
    expect(rows.flatMap(({ inspection_id }) => inspection_id ?? [])).toEqual(created.map(({ id }) => id));
    expect(rows.at(-1)).toMatchObject({ status: 'projected' });
    await generateAt(person, 3);
    const dated = (await inspectionsOf(person, schedule)).map(({ occurrence_date }) => occurrence_date);
    expect(dated).toEqual([...new Set(dated)]);
  });

  test('200 shows what overrides move, skip, cancel and reassign, before there are inspections', async () => {
    const colleague = await newColleague(person, 'inspector');
    const schedule = await newSchedule(person, { create_ahead_days: 0 });
    await override(schedule, { occurrence_date: dateIn(2), action: 'skip', reason: 'Holiday' });
    await override(schedule, { occurrence_date: dateIn(3), action: 'cancel' });
    const new_at = inDays(5.75);
    await override(schedule, { occurrence_date: dateIn(4), action: 'move', new_at });
    await override(schedule, {
      occurrence_date: dateIn(6),
      action: 'reassign',
      assignee_ids: [colleague.user_id],
    });
    const rows = await calendar({ from: dateIn(2), to: dateIn(6) });
    const on = (day: number) => rows.find(({ occurrence_date }) => occurrence_date === dateIn(day));
    expect(on(2)).toMatchObject({ status: 'skipped', override: { action: 'skip', reason: 'Holiday' } });
    expect(on(3)).toMatchObject({ status: 'cancelled', override: { action: 'cancel' } });
    expect(on(4)).toMatchObject({
      status: 'projected',
      starts_at: new_at,
      override: { action: 'move' },
    });
    expect(on(6)).toMatchObject({ assignee_ids: [colleague.user_id], override: { action: 'reassign' } });
    expect(rows).toHaveLength(5);
    const moments = rows.map(({ starts_at }) => starts_at);
    expect(moments).toEqual(moments.toSorted());
    const mine = await calendar({ from: dateIn(2), to: dateIn(6), assignee_id: colleague.user_id });
    expect(mine).toEqual([on(6)]);
  });

  test('200 follows overrides of inspections that exist', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 4 });
    await generateAt(person, 0);
    const [first, second] = await inspectionsOf(person, schedule);
    const new_at = inDays(3.25);
    await override(schedule, { occurrence_date: first!.occurrence_date, action: 'cancel' });
    await override(schedule, {
      occurrence_date: second!.occurrence_date,
      action: 'move',
      new_at,
    });
    const rows = await calendar({ to: dateIn(8) });
    const rowsOf = ({ id }: { id: string }) => rows.filter(({ inspection_id }) => inspection_id === id);
    expect(rowsOf(first!)).toMatchObject([{ status: 'archived', override: { action: 'cancel' } }]);
    expect(rowsOf(second!)).toMatchObject([{ starts_at: new_at, override: { action: 'move' } }]);
    const dates = rows.map(({ occurrence_date }) => occurrence_date);
    expect(new Set(dates).size).toBe(dates.length);
  });

  test('200 shows one row for each location, and only those that were asked for', async () => {
    const [here, there] = await Promise.all([newLocation(person), newLocation(person)]);
    const schedule = await newSchedule(person, {
      location_ids: [here.id, there.id],
      create_ahead_days: 1,
    });
    const other = await newSchedule(person, { create_ahead_days: 1 });
    await generateAt(person, 0);
    const all = await calendar();
    expect(await calendar({ location_id: here.id })).toEqual(
      all.filter(({ location_id }) => location_id === here.id),
    );
    for (const each of [schedule, other]) {
      const own = all.filter(({ schedule_id }) => schedule_id === each.id);
      expect(own.some(({ kind }) => kind === 'inspection')).toBe(true);
      expect(await calendar({ schedule_id: each.id })).toEqual(own);
      expect(await calendar({ template_family_id: each.template_family_id })).toEqual(own);
      expect(await calendar({ schedule_id: each.id, template_family_id: each.template_family_id })).toEqual(
        own,
      );
    }
    const nobody = { schedule_id: schedule.id, template_family_id: other.template_family_id };
    expect(await calendar(nobody)).toEqual([]);
    expect(await calendar({ schedule_id: person.caller.user_id })).toEqual([]);
  });

  test('200 shows nothing to come of a paused schedule, nor of an archived family', async () => {
    const [paused, archived] = [
      await newSchedule(person, { create_ahead_days: 0 }),
      await newSchedule(person, { create_ahead_days: 0 }),
    ];
    await override(paused, { occurrence_date: dateIn(3), action: 'cancel' });
    await person.schedules.update({ ...of(paused), body: { status: 'paused' } });
    await person.families.archive({ params: { family_id: archived.template_family_id } });
    expect(inShort(await calendar())).toEqual(['+3 cancelled']);
  });

  test('200 shows no projection beside its inspection after the rule has changed', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 3 });
    await generateAt(person, 0);
    await person.schedules.update({ ...of(schedule), body: { location_ids: [] } });
    await person.schedules.update({
      ...of(schedule),
      body: { recurrence: { rrule: 'FREQ=DAILY;COUNT=3000' } },
    });
    const dates = (await calendar()).map(({ occurrence_date }) => occurrence_date);
    expect(dates.length).toBeGreaterThan(5);
    expect(new Set(dates).size).toBe(dates.length);
  });

  test('200 takes the dates of the organization’s time zone', async () => {
    const schedule = await newSchedule(person, {
      recurrence: { rrule: 'FREQ=DAILY', dtstart_local: '2031-01-01T23:30', timezone: 'UTC' },
    });
    const day = { from: '2031-03-10', to: '2031-03-10' };
    expect(await calendar(day)).toMatchObject([{ occurrence_date: '2031-03-10' }]);
    await person.organization.update({ body: { timezone: 'Europe/Athens' } });
    expect(await calendar(day)).toMatchObject([
      { occurrence_date: '2031-03-09', starts_at: '2031-03-09T23:30:00.000Z', schedule_id: schedule.id },
    ]);
  });

  test('200 says when an inspection is overdue or missed', async () => {
    const schedule = await newSchedule(person, {
      create_ahead_days: 2,
      window: { due_after: 'P1D', miss_after: 'PT1H' },
    });
    await generateAt(person, 0);
    const [inspection] = await inspectionsOf(person, schedule);
    await person.inspections.update({
      params: { inspection_id: inspection!.id },
      body: { due_at: inDays(-1) },
    });
    expect((await calendar())[0]).toMatchObject({ is_overdue: true, is_missed: false });
    const start = Date.parse(inspection!.scheduled_for!);
    clock.pass((start - Date.now()) / 1_000 + 3_590);
    expect((await calendar())[0]).toMatchObject({ is_missed: false });
    clock.pass(20);
    expect((await calendar())[0]).toMatchObject({ is_missed: true });
  });

  test('200 shows nothing of another organization', async () => {
    await newSchedule(person);
    const stranger = await newPerson('Elsewhere');
    expect(await calendar({}, stranger.key)).toEqual([]);
  });

  test.each([
    [{ from: '2027-01-02', to: '2027-01-01' }, ['query.to']],
    [{ from: '2027-01-01', to: '2028-01-02' }, ['query.to']],
    [{ from: '2027-02-30', to: 'soon' }, ['query.from', 'query.to']],
  ])('422 for the dates %j', async (query, expected) => {
    const answer = await person.try.schedules.getCalendar({ query });
    expect(answer.status).toBe(422);
    expect(locs(answer)).toEqual(expected);
  });

  test('200 for 366 days', async () => {
    expect(await calendar({ from: '2028-01-01', to: '2028-12-31' })).toEqual([]);
  });
});

describe('GET /inspection-schedules/calendar?format=ics', () => {
  /** The events as another program reads them, by their UIDs. */
  const feed = async (query: object = {}) => {
    const answer = await person.try.schedules.getCalendar({
      query: { from: dateIn(0), to: dateIn(6), format: 'ics', ...query },
    });
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/calendar; charset=utf-8' },
    });
    const text = answer.bytes.toString();
    // RFC 5545, section 3.1: lines end in CRLF and have at most 75 bytes.
    expect(text.split('\r\n').filter((line) => Buffer.byteLength(line) > 75 || line.includes('\n'))).toEqual(
      [],
    );
    const component = new ICAL.Component(ICAL.parse(text) as unknown[]);
    return component.getAllSubcomponents('vevent').map((event) => {
      const { uid, summary, location, description, sequence, startDate } = new ICAL.Event(event);
      const status = event.getFirstPropertyValue('status');
      return {
        uid,
        summary,
        location,
        description,
        sequence,
        status,
        start: startDate.toJSDate().toISOString(),
      };
    });
  };

  test('200 keeps the UID of an occurrence, and its SEQUENCE increases with every change', async () => {
    const location = await newLocation(person);
    const schedule = await newSchedule(person, { create_ahead_days: 0, location_ids: [location.id] });
    const date = dateIn(2);
    const uid = `${schedule.id}-${date}-${location.id}`;
    const now = async () => {
      const events = await feed();
      const own = events.filter((event) => event.uid === uid);
      expect(own).toHaveLength(1);
      expect(new Set(events.map((event) => event.uid)).size).toBe(events.length);
      return own[0]!;
    };
    const states = [await now()];
    const new_at = inDays(2.25);
    await override(schedule, { occurrence_date: date, action: 'move', new_at });
    states.push(await now());
    await generateAt(person, 3);
    states.push(await now());
    const inspection = (await inspectionsOf(person, schedule)).find((each) => each.occurrence_date === date)!;
    const params = { inspection_id: inspection.id };
    await person.inspections.update({ params, body: { scheduled_for: inDays(2.5) } });
    states.push(await now());
    await person.inspections.archive({ params, body: {} });
    states.push(await now());
    const sequences = states.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
    expect(states.map(({ status }) => status)).toEqual([
      'TENTATIVE',
      'TENTATIVE',
      'CONFIRMED',
      'CONFIRMED',
      'CANCELLED',
    ]);
    expect(states[1]!.start).toBe(`${new_at.slice(0, 19)}.000Z`);
    expect(states[0]).toMatchObject({ summary: 'Daily walk', location: expect.stringMatching(/./) });
  });

  test('200 carries any text, in folded lines', async () => {
    const title = `Kühlhaus, Halle 7; „B“ \\ ${'冷蔵庫の点検'.repeat(20)}`;
    const reason = 'Closed: stocktaking,\nsee the plan; ask Ann \\ Bo';
    const schedule = await newSchedule(person, { title, create_ahead_days: 0 });
    await override(schedule, { occurrence_date: dateIn(3), action: 'cancel', reason });
    const events = await feed({ to: dateIn(4) });
    expect(new Set(events.map(({ summary }) => summary))).toEqual(new Set([title]));
    expect(events.filter(({ status }) => status === 'CANCELLED')).toMatchObject([{ description: reason }]);
  });

  test('200 has the rows of the JSON calendar, in UTC, however many there are', async () => {
    await newSchedule(person, {
      recurrence: { rrule: 'FREQ=DAILY', dtstart_local: '2031-03-01T03:30', timezone: 'Europe/Athens' },
    });
    const year = { from: '2031-03-01', to: '2032-02-28' };
    const rows = await calendar(year);
    expect((await feed(year)).map(({ start }) => start)).toEqual(rows.map(({ starts_at }) => starts_at));
    expect(rows).toHaveLength(365);
    expect(await feed({ from: '2030-01-01', to: '2030-01-02' })).toEqual([]);
  });

  test('422 for another format', async () => {
    const query = { from: dateIn(0), to: dateIn(6), format: 'xml' };
    expect((await person.try.schedules.getCalendar({ query })).status).toBe(422);
  });
});
