import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Schedule, ScheduleOverride } from '../../shared/schemas/schedules/schedule.ts';
import { keys } from '../../shared/table/keys.ts';
import { queryRows } from '../../shared/table/rows.ts';
import { newColleague, start, suspend } from '../inspections/fixtures.ts';
import { type Answer, locs } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import {
  DAILY,
  dateIn,
  generateAt,
  inDays,
  inspectionsOf,
  manyLocations,
  newSchedule,
  of,
  shown,
  storeOverrides,
} from './fixtures.ts';

let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
});
afterEach(() => {
  jest.restoreAllMocks();
});

const override = (schedule: { id: string }, body: object): Promise<Answer> =>
  person.try.schedules.createOverride({ ...of(schedule), body });

const must = async (schedule: { id: string }, body: object): Promise<ScheduleOverride> => {
  const { status, body: reply } = await override(schedule, body);
  expect({ status, reply }).toEqual({ status: 201, reply });
  return reply;
};

const takeBack = (schedule: { id: string }, { id }: { id: string }): Promise<Answer> =>
  person.try.schedules.deleteOverride({ params: { schedule_id: schedule.id, override_id: id } });

const archive = ({ id }: Inspection) => person.inspections.archive({ params: { inspection_id: id } });

const restore = ({ id }: Inspection) => person.inspections.restore({ params: { inspection_id: id } });

const starts = (inspections: Inspection[]): string[] =>
  inspections.map(({ scheduled_for }) => scheduled_for!.slice(0, 10));

const statuses = async (schedule: Schedule): Promise<string[]> =>
  (await inspectionsOf(person, schedule)).map(({ status }) => status);

/** What the calendar reads. */
const calendar = ({ caller }: Person) =>
  Array.fromAsync(queryRows(caller, { partition: keys.calendarEntry.partition(caller) }));

describe('POST /inspection-schedules/{schedule_id}/overrides', () => {
  test('201 before the inspections: what is left out is not created, what moves comes at its new time', async () => {
    const colleague = await newColleague(person, 'Rolf');
    const schedule = await newSchedule(person, { create_ahead_days: 0 });
    const skip = await must(schedule, { occurrence_date: dateIn(0), action: 'skip', reason: ' Holiday ' });
    expect(skip).toMatchObject({ action: 'skip', reason: 'Holiday', created_by: person.caller.user_id });
    await must(schedule, { occurrence_date: dateIn(1), action: 'move', new_at: inDays(4.2) });
    const assignee_ids = [colleague.user_id];
    await must(schedule, { occurrence_date: dateIn(2), action: 'reassign', assignee_ids });
    await must(schedule, { occurrence_date: dateIn(3), action: 'cancel' });
    expect(await shown(person, schedule)).toMatchObject({
      version: 5,
      overrides: [
        { occurrence_date: dateIn(0), action: 'skip' },
        { occurrence_date: dateIn(1), action: 'move' },
        { occurrence_date: dateIn(2), action: 'reassign' },
        { occurrence_date: dateIn(3), action: 'cancel' },
      ],
    });
    await generateAt(person, 2);
    expect(await inspectionsOf(person, schedule)).toEqual([]);
    await generateAt(person, 4.3);
    const inspections = await inspectionsOf(person, schedule);
    expect(inspections).toMatchObject([
      { occurrence_date: dateIn(2), participants: [{ user_id: colleague.user_id }] },
      { occurrence_date: dateIn(1), participants: [] },
    ]);
    expect(starts(inspections)).toEqual([dateIn(2), inDays(4.2).slice(0, 10)]);
    await generateAt(person, 6);
    expect(await inspectionsOf(person, schedule)).toHaveLength(4);
  });

  test('201 after the inspections: they move, change hands, or are archived', async () => {
    const colleague = await newColleague(person, 'Rolf');
    const schedule = await newSchedule(person, {
      create_ahead_days: 4,
      assignee_ids: [person.caller.user_id],
      window: { due_after: 'P1D', miss_after: 'P2D' },
    });
    await generateAt(person, 0);
    const at = inDays(9.1);
    const moved = await must(schedule, { occurrence_date: dateIn(0), action: 'move', new_at: at });
    const assignee_ids = [colleague.user_id];
    const handed = await must(schedule, { occurrence_date: dateIn(1), action: 'reassign', assignee_ids });
    const skipped = await must(schedule, { occurrence_date: dateIn(2), action: 'skip' });
    const inspections = await inspectionsOf(person, schedule);
    expect(inspections).toMatchObject([
      { participants: [{ user_id: colleague.user_id }] },
      { status: 'archived' },
      { status: 'scheduled' },
      { scheduled_for: at, due_at: inDaysAfter(at, 1), missed_after: inDaysAfter(at, 2) },
    ]);
    expect((await calendar(person)).map(({ starts_at, status }) => [starts_at, status])).toEqual(
      inspections.map(({ scheduled_for, status }) => [scheduled_for, status]),
    );
    await generateAt(person, 0.1);
    expect(await inspectionsOf(person, schedule)).toHaveLength(4);

    for (const each of [moved, handed, skipped]) expect((await takeBack(schedule, each)).status).toBe(204);
    const back = await inspectionsOf(person, schedule);
    expect(starts(back)).toEqual([0, 1, 2, 3].map(dateIn));
    for (const { status, participants } of back) {
      expect([status, participants.map(({ user_id }) => user_id)]).toEqual([
        'scheduled',
        [person.caller.user_id],
      ]);
    }
    await generateAt(person, 0.1);
    expect(await inspectionsOf(person, schedule)).toHaveLength(4);
    expect((await shown(person, schedule)).overrides).toEqual([]);
  });

  test('201 for the inspections of many locations, which take several transactions', async () => {
    const location_ids = await manyLocations(person, 30);
    const schedule = await newSchedule(person, { location_ids, create_ahead_days: 1 });
    await generateAt(person, 0);
    const cancelled = await must(schedule, { occurrence_date: dateIn(0), action: 'cancel' });
    expect(new Set(await statuses(schedule))).toEqual(new Set(['archived']));
    expect((await takeBack(schedule, cancelled)).status).toBe(204);
    expect(new Set(await statuses(schedule))).toEqual(new Set(['scheduled']));
    await generateAt(person, 0.1);
    expect(await statuses(schedule)).toHaveLength(30);
  });

  test('201 and 204 without what a person has archived', async () => {
    const schedule = await newSchedule(person, {
      location_ids: await manyLocations(person, 4),
      create_ahead_days: 1,
    });
    await generateAt(person, 0);
    const [before, during, begun] = await inspectionsOf(person, schedule);
    const statusOf = async ({ id }: Inspection) =>
      (await inspectionsOf(person, schedule)).find((each) => each.id === id)!.status;
    await archive(before!);
    const at = inDays(0.7);
    const moved = await must(schedule, { occurrence_date: dateIn(0), action: 'move', new_at: at });
    const there = (await inspectionsOf(person, schedule)).filter(({ scheduled_for }) => scheduled_for === at);
    expect(there.map(({ status }) => status)).toEqual(Array(3).fill('scheduled'));
    expect((await takeBack(schedule, moved)).status).toBe(204);

    const skipped = await must(schedule, { occurrence_date: dateIn(0), action: 'skip' });
    for (const each of [during!, begun!]) await restore(each);
    await start(person.key, begun!);
    for (const each of [during!, begun!]) await archive(each);
    expect((await takeBack(schedule, skipped)).status).toBe(204);
    expect(await statusOf(before!)).toBe('archived');
    expect(await statusOf(begun!)).toBe('archived');
    expect((await statuses(schedule)).toSorted()).toEqual(['archived', 'archived', 'scheduled', 'scheduled']);
  });

  test('201 and 204 for inspectors alone: whoever has another part keeps it, and who has left gets none', async () => {
    const [first, second, signatory] = [
      await newColleague(person, 'Ina'),
      await newColleague(person, 'Ivan'),
      await newColleague(person, 'Sia'),
    ];
    const schedule = await newSchedule(person, { create_ahead_days: 1, assignee_ids: [first.user_id] });
    await generateAt(person, 0);
    const [inspection] = await inspectionsOf(person, schedule);
    await person.inspections.update({
      params: { inspection_id: inspection!.id },
      body: {
        participants: [{ user_id: first.user_id }, { user_id: signatory.user_id, role: 'signatory' }],
      },
    });
    const parts = async () =>
      (await inspectionsOf(person, schedule))[0]!.participants.map(({ user_id, name, role }) => [
        user_id,
        name,
        role,
      ]);
    const assignee_ids = [second.user_id];
    const handed = await must(schedule, { occurrence_date: dateIn(0), action: 'reassign', assignee_ids });
    const signs = [signatory.user_id, 'Sia', 'signatory'];
    expect(await parts()).toEqual([[second.user_id, 'Ivan', 'inspector'], signs]);
    await suspend(person, first.user_id);
    expect((await takeBack(schedule, handed)).status).toBe(204);
    expect(await parts()).toEqual([signs]);
  });

  test('201 for one that decides about a date that was restored, which is not created then', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 3 });
    const skip = { occurrence_date: dateIn(1), action: 'skip' };
    const skipped = await must(schedule, skip);
    await generateAt(person, 0);
    expect((await takeBack(schedule, skipped)).status).toBe(204);
    await must(schedule, skip);
    await generateAt(person, 0.1);
    expect(starts(await inspectionsOf(person, schedule))).toEqual([0, 2].map(dateIn));
  });

  const skipsOf = (dates: string[]) =>
    dates.map((occurrence_date) => ({ occurrence_date, action: 'skip' as const }));

  test('409 beyond 150 of one schedule, and not before', async () => {
    const schedule = await newSchedule(person);
    const many = Array.from({ length: 149 }, (_, day) => dateIn(10 + day));
    await storeOverrides(person, schedule, skipsOf(many));
    expect((await override(schedule, { occurrence_date: dateIn(1), action: 'skip' })).status).toBe(201);
    const refused = await override(schedule, { occurrence_date: dateIn(2), action: 'skip' });
    expect(refused.headers['x-error-code']).toBe('too_many_overrides');
  });

  test('201 forgets those that are older than 400 days, by the date where the schedule is', async () => {
    const recurrence = { ...DAILY, timezone: 'Pacific/Kiritimati' };
    const schedule = await newSchedule(person, { recurrence });
    // There it is the next day since ten o'clock.
    jest.spyOn(Date, 'now').mockReturnValue(Date.parse(`${dateIn(0)}T23:30Z`));
    await storeOverrides(person, schedule, skipsOf([dateIn(-400), dateIn(-399)]));
    await must(schedule, { occurrence_date: dateIn(3), action: 'skip' });
    const { overrides } = await shown(person, schedule);
    expect(overrides.map(({ occurrence_date }) => occurrence_date)).toEqual([dateIn(-399), dateIn(3)]);
  });

  test('409 for a second override of a date, another version, and an inspection that was started', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 2 });
    await generateAt(person, 0);
    const [first, second] = await inspectionsOf(person, schedule);
    await start(person.key, first!);
    const skip = { occurrence_date: dateIn(0), action: 'skip' };
    const refused = await override(schedule, skip);
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toBe(`Inspection ${first!.number} of this occurrence is in_progress.`);
    await person.inspections.archive({ params: { inspection_id: second!.id } });
    const move = { occurrence_date: dateIn(1), action: 'move', new_at: inDays(3) };
    expect((await override(schedule, move)).status).toBe(409);
    const later = { ...skip, occurrence_date: dateIn(5) };
    expect((await override(schedule, later)).status).toBe(201);
    expect((await override(schedule, { ...later, action: 'cancel' })).headers['x-error-code']).toBe(
      'override_exists',
    );
    const headers = { 'If-Match': '"1"' };
    const stale = await person.try.schedules.createOverride({
      ...of(schedule),
      body: { ...skip, occurrence_date: dateIn(6) },
      headers,
    });
    expect(stale.headers['x-error-code']).toBe('version_mismatch');
  });

  test('422 for a date on which the rule does not occur, and for fields that do not belong together', async () => {
    const recurrence = { rrule: 'FREQ=WEEKLY;BYDAY=MO', dtstart_local: '2026-01-05T09:00', timezone: 'UTC' };
    const schedule = await newSchedule(person, { recurrence });
    expect(locs(await override(schedule, { occurrence_date: '2030-01-01', action: 'skip' }))).toEqual([
      'body.occurrence_date',
    ]);
    const on = { occurrence_date: '2029-01-01' };
    expect(locs(await override(schedule, { ...on, action: 'move' }))).toEqual(['body.new_at']);
    expect(locs(await override(schedule, { ...on, action: 'reassign' }))).toEqual(['body.assignee_ids']);
    expect(
      locs(await override(schedule, { ...on, action: 'skip', new_at: inDays(1), assignee_ids: [] })),
    ).toEqual(['body.new_at', 'body.assignee_ids']);
  });

  test('400 for an assignee who is no active member', async () => {
    const stranger = await newPerson('Stranger');
    const schedule = await newSchedule(person);
    const assignee_ids = [stranger.caller.user_id];
    const answer = await override(schedule, { occurrence_date: dateIn(1), action: 'reassign', assignee_ids });
    expect(answer.status).toBe(400);
  });

  test('400 for an assignee who approves the inspections', async () => {
    const colleague = await newColleague(person, 'Apo');
    const schedule = await newSchedule(person, { approver_id: colleague.user_id });
    const assignee_ids = [colleague.user_id];
    const answer = await override(schedule, { occurrence_date: dateIn(1), action: 'reassign', assignee_ids });
    expect([answer.status, answer.headers['x-error-code']]).toEqual([400, 'approver_takes_part']);
  });
});

describe('DELETE /inspection-schedules/{schedule_id}/overrides/{override_id}', () => {
  test('204 before the inspections: the occurrence comes back, also one that was passed already', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 3 });
    const skipped = await must(schedule, { occurrence_date: dateIn(1), action: 'skip' });
    const moved = await must(schedule, { occurrence_date: dateIn(2), action: 'move', new_at: inDays(20) });
    await generateAt(person, 0);
    expect(starts(await inspectionsOf(person, schedule))).toEqual([dateIn(0)]);
    for (const each of [skipped, moved]) expect((await takeBack(schedule, each)).status).toBe(204);
    await generateAt(person, 0);
    await generateAt(person, 0.1);
    expect(starts(await inspectionsOf(person, schedule))).toEqual([0, 1, 2].map(dateIn));
    expect((await takeBack(schedule, skipped)).status).toBe(404);
  });

  test('409 for another version', async () => {
    const schedule = await newSchedule(person);
    const { id: override_id } = await must(schedule, { occurrence_date: dateIn(1), action: 'skip' });
    const params = { schedule_id: schedule.id, override_id };
    const stale = await person.try.schedules.deleteOverride({ params, headers: { 'If-Match': '"1"' } });
    expect(stale.headers['x-error-code']).toBe('version_mismatch');
  });

  test('409 when a moved inspection was started', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 1 });
    await generateAt(person, 0);
    const moved = await must(schedule, { occurrence_date: dateIn(0), action: 'move', new_at: inDays(2) });
    const [inspection] = await inspectionsOf(person, schedule);
    await start(person.key, inspection!);
    expect((await takeBack(schedule, moved)).headers['x-error-code']).toBe('occurrence_begun');
  });
});

describe('PATCH /inspection-schedules/{schedule_id}', () => {
  test('200 for another rule, which drops the overrides of occurrences that are no more', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 1 });
    await generateAt(person, 0);
    await must(schedule, { occurrence_date: dateIn(0), action: 'move', new_at: inDays(2) });
    await must(schedule, { occurrence_date: dateIn(6), action: 'skip' });
    const dtstart_local = `${dateIn(1)}T00:00`;
    const body = { recurrence: { rrule: 'FREQ=YEARLY', dtstart_local } };
    const changed: Schedule = await person.schedules.update({ ...of(schedule), body });
    expect(changed.overrides).toMatchObject([{ occurrence_date: dateIn(0) }]);
  });
});

const inDaysAfter = (at: string, days: number): string =>
  new Date(Date.parse(at) + days * 86_400_000).toISOString();
