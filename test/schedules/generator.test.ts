import { generate } from '../../shared/schedules/generator.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import { getRow } from '../../shared/table/rows.ts';
import * as write from '../../shared/table/writes.ts';
import { newClient, newColleague, newLocation, start, suspend } from '../inspections/fixtures.ts';
import { as } from '../support/call.ts';
import { mailTasks } from '../support/notices.ts';
import { newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import {
  DAY,
  dropClient,
  generateAt,
  inDays,
  inspectionsOf,
  manyLocations,
  newSchedule,
  of,
  shown,
} from './fixtures.ts';

/** In days, as the times of this file are. */
const MINUTE = 1 / (24 * 60);

let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
});

describe('generateInspections', () => {
  test('creates what starts within the days ahead, each occurrence once', async () => {
    const client = await newClient(person);
    const schedule = await newSchedule(person, {
      client_account_id: client.id,
      create_ahead_days: 3,
      assignee_ids: [person.caller.user_id],
      approver_id: person.adminId,
      window: { due_after: 'P2D', miss_after: 'PT6H' },
    });
    await generateAt(person, 0);
    const first = await inspectionsOf(person, schedule);
    expect(first).toHaveLength(3);
    const [inspection] = first;
    expect(inspection).toMatchObject({
      name: 'Daily walk',
      source: 'schedule',
      status: 'scheduled',
      schedule_id: schedule.id,
      client_account_id: client.id,
      location_id: null,
      approver_id: person.adminId,
      created_by: person.caller.user_id,
      participants: [{ user_id: person.caller.user_id, role: 'inspector', status: 'assigned' }],
      is_missed: false,
    });
    const starts = Date.parse(inspection!.scheduled_for!);
    expect(Date.parse(inspection!.due_at!) - starts).toBe(2 * DAY);
    expect(Date.parse(inspection!.missed_after!) - starts).toBe(DAY / 4);
    expect(await shown(person, schedule)).toMatchObject({
      generated_count: 3,
      version: 1,
      status: 'active',
      next_occurrence_at: inspection!.scheduled_for,
    });
    await generateAt(person, 0);
    await generateAt(person, 0.01);
    expect(await inspectionsOf(person, schedule)).toHaveLength(3);
    await generateAt(person, 1);
    expect(await inspectionsOf(person, schedule)).toHaveLength(4);
  });

  test('creates each of the locations of an occurrence once, though ten generators run at once', async () => {
    const location_ids = await manyLocations(person, 20);
    const schedule = await newSchedule(person, { location_ids, create_ahead_days: 1 });
    await Promise.all(Array.from({ length: 10 }, () => generateAt(person, 0)));
    await generateAt(person, 0);
    const inspections = await inspectionsOf(person, schedule);
    expect(inspections.map(({ location_id }) => location_id!).toSorted()).toEqual(location_ids.toSorted());
    expect(new Set(inspections.map(({ number }) => number)).size).toBe(20);
  });

  test('makes up for forty days without a generator', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 0 });
    await generateAt(person, 40);
    expect(await inspectionsOf(person, schedule)).toHaveLength(40);
  });

  test('makes up for nothing that it missed while paused', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 0 });
    await person.schedules.update({ ...of(schedule), body: { status: 'paused' } });
    expect(await shown(person, schedule)).toMatchObject({
      status: 'paused',
      paused_reason: 'manual',
      next_occurrence_at: null,
    });
    await generateAt(person, 10);
    expect(await inspectionsOf(person, schedule)).toEqual([]);
    // As if it had been paused ten days ago.
    await backdate(schedule.id, -10);
    const resumed = await person.schedules.update({
      ...of(schedule),
      body: { status: 'active' },
    });
    expect(resumed).toMatchObject({ status: 'active', paused_reason: null });
    await generateAt(person, 2);
    expect(await inspectionsOf(person, schedule)).toHaveLength(2);
  });

  test('ends after the last occurrence', async () => {
    const ends_on = inDays(2).slice(0, 10);
    const schedule = await newSchedule(person, { ends_on, create_ahead_days: 10 });
    await generateAt(person, 0);
    expect(await shown(person, schedule)).toMatchObject({ status: 'active' });
    await generateAt(person, 3);
    const ended = await shown(person, schedule);
    expect(ended).toMatchObject({ status: 'ended', next_occurrence_at: null });
    const patched = await person.try.schedules.update({ ...of(schedule), body: { status: 'active' } });
    // Seen from today, the end is still ahead.
    expect([patched.status, patched.body.status]).toEqual([200, 'active']);
    const made = (await inspectionsOf(person, schedule)).length;
    await generateAt(person, 30);
    expect(await inspectionsOf(person, schedule)).toHaveLength(made);
  });

  test('creates nothing while the family is archived, and goes on when it is restored', async () => {
    const family = await publishedFamily(person.key);
    const schedule = await newSchedule(person, { template_family_id: family.id, create_ahead_days: 0 });
    const params = { family_id: family.id };
    await person.families.archive({ params });
    expect(await shown(person, schedule)).toMatchObject({
      status: 'paused',
      paused_reason: 'family_archived',
      next_occurrence_at: null,
      version: 1,
    });
    await generateAt(person, 5);
    await person.families.restore({ params });
    await generateAt(person, 7);
    expect(await inspectionsOf(person, schedule)).toHaveLength(2);
    expect(await shown(person, schedule)).toMatchObject({ status: 'active', problem: null });
  });

  test('tells the assignees of new work, once', async () => {
    const colleague = await newColleague(person, 'Rolf');
    await newSchedule(person, { create_ahead_days: 1, assignee_ids: [colleague.user_id] });
    await generateAt(person, 0);
    await generateAt(person, 0.1);
    const { items } = await as(colleague).notifications.listMy();
    expect(items).toMatchObject([{ event: 'inspection_assigned', actor_id: null, schedule_id: null }]);
    expect(await mailTasks(person)).toHaveLength(1);
  });

  /** A schedule of two locations. */
  const placed = async (fields: object) => {
    const locations = await Promise.all([1, 2].map(() => newLocation(person)));
    return newSchedule(person, {
      location_ids: locations.map(({ id }) => id),
      create_ahead_days: 1,
      ...fields,
    });
  };

  test('says what is missing, tells the admins once, and goes on by itself when that is mended', async () => {
    const client = await newClient(person);
    const schedule = await placed({ client_account_id: client.id });
    const bringBack = await dropClient(person, client.id);
    await generateAt(person, 0);
    await generateAt(person, 0.1);
    await generateAt(person, 0.2);
    expect(await inspectionsOf(person, schedule)).toEqual([]);
    expect(await shown(person, schedule)).toMatchObject({
      status: 'active',
      problem: { kind: 'client_account_gone', resource_id: client.id },
      problems: [{ kind: 'client_account_gone', user_id: null, location_id: null }],
      version: 2,
    });
    const { items } = await person.notifications.listMy();
    expect(items).toMatchObject([
      {
        event: 'schedule_stopped',
        kind: 'overdue_inspections',
        inspection_id: null,
        schedule_id: schedule.id,
        title: 'Schedule “Daily walk” cannot create its inspections.',
        note: 'The client account does not exist any more.',
      },
    ]);
    const [task] = await mailTasks(person);
    expect(task!.data['user_ids']).toEqual([person.caller.user_id, person.adminId]);
    await bringBack();
    await generateAt(person, 0.3);
    expect(await shown(person, schedule)).toMatchObject({ problem: null, generated_count: 2 });
  });

  test.each([
    ['has left', ({ approver_id }: Schedule) => suspend(person, approver_id!)],
    ['may not approve', ({ approver_id }: Schedule) => setRole(approver_id!, 'inspector')],
    ['may not approve as a key', ({ template_family_id }: Schedule) => letNoKeyDecide(template_family_id)],
  ])('creates the inspections without an approver who %s', async (_, spoil) => {
    const { user_id } = await newColleague(person, 'Ada');
    const schedule = await placed({ approver_id: user_id });
    await spoil(schedule);
    await generateAt(person, 0);
    const approvers = (await inspectionsOf(person, schedule)).map(({ approver_id }) => approver_id);
    expect(approvers).toEqual([null, null]);
    expect(await shown(person, schedule)).toMatchObject({
      problem: null,
      problems: [{ kind: 'approver_left', user_id, location_id: null, since: expect.any(String) }],
    });
  });

  test('looks again a quarter of an hour after it could not create an inspection, and not before', async () => {
    const client = await newClient(person);
    const schedule = await placed({ client_account_id: client.id });
    const bringBack = await dropClient(person, client.id);
    await generateAt(person, 0);
    await bringBack();
    await generateAt(person, 14 * MINUTE);
    expect(await inspectionsOf(person, schedule)).toEqual([]);
    await generateAt(person, 16 * MINUTE);
    expect(await inspectionsOf(person, schedule)).toHaveLength(2);
  });

  test('names the client of each location where the schedule names none', async () => {
    const [client, other] = [await newClient(person), await newClient(person)];
    const locations = [await newLocation(person, client.id), await newLocation(person, other.id)];
    const [first, second] = locations.map(({ id }) => id);
    const schedule = await placed({ location_ids: [first, second] });
    await generateAt(person, 0);
    const clients = (await inspectionsOf(person, schedule)).map((each) => [
      each.location_id,
      each.client_account_id,
    ]);
    expect(new Map(clients as [])).toEqual(
      new Map([
        [first, client.id],
        [second, other.id],
      ]),
    );
  });

  test('begins nothing once its time is over, and another generator does the rest', async () => {
    const schedule = await placed({ location_ids: await manyLocations(person, 40) });
    const run = async (turns: number) => {
      let left = turns;
      const now = new Date();
      const row = (await getRow(person.caller, keys.one(person.caller, 'SCHEDULE', schedule.id)))!;
      await generate(row, now, () => (left -= 1) < 0);
      return (await inspectionsOf(person, schedule)).length;
    };
    expect(await run(0)).toBe(0);
    const some = await run(2);
    expect(some).toBeGreaterThan(0);
    expect(some).toBeLessThan(40);
    await generateAt(person, 0);
    expect(await inspectionsOf(person, schedule)).toHaveLength(40);
  });

  test('creates no second inspection for one that was deleted, and none twice after another rule', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 3 });
    await generateAt(person, 0);
    const [newest, ...others] = await inspectionsOf(person, schedule);
    await person.inspections.delete({ params: { inspection_id: newest!.id } });
    const location = await newLocation(person);
    // Other words for the same dates: those of another time would also depend on when the test runs.
    const recurrence = { rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU' };
    await person.schedules.update({ ...of(schedule), body: { recurrence } });
    await generateAt(person, 0);
    expect((await inspectionsOf(person, schedule)).map(({ id }) => id)).toEqual(others.map(({ id }) => id));
    await person.schedules.update({ ...of(schedule), body: { location_ids: [location.id] } });
    await generateAt(person, 0);
    // The new place gets what lies ahead.
    expect(await inspectionsOf(person, schedule)).toHaveLength(others.length + 3);
  });

  test('its inspections are missed when nobody has started them, and can still be started', async () => {
    const schedule = await newSchedule(person, {
      create_ahead_days: 0,
      window: { due_after: 'PT1H', miss_after: 'PT2H' },
    });
    await backdate(schedule.id, -3);
    await generateAt(person, -1.5);
    const [inspection] = await inspectionsOf(person, schedule);
    expect(inspection).toMatchObject({ is_missed: true, is_overdue: true, status: 'scheduled' });
    expect(await start(person.key, inspection!)).toMatchObject({ status: 'in_progress', is_missed: true });
  });

  test('a deleted schedule leaves its inspections, which stay in its list; duplicates are none of it', async () => {
    const schedule = await newSchedule(person, { create_ahead_days: 2 });
    await generateAt(person, 0);
    const [first] = await inspectionsOf(person, schedule);
    const params = { inspection_id: first!.id };
    const copy: Inspection = await person.inspections.duplicate({ params });
    expect(copy).toMatchObject({
      schedule_id: null,
      occurrence_date: null,
      source: 'duplicate',
      missed_after: null,
    });
    await person.schedules.delete(of(schedule));
    await generateAt(person, 5);
    await person.inspections.archive({ params });
    expect(await inspectionsOf(person, schedule)).toHaveLength(2);
    expect(await person.inspections.get({ params })).toMatchObject({ schedule_id: schedule.id });
    const bySource = await person.inspections.list({ query: { source: 'schedule' } });
    expect(bySource).toHaveLength(2);
  });
});

/** Moves the time up to which a schedule is dealt with, as if it had been created so many days before or after. */
const backdate = (id: string, days: number): Promise<void> =>
  change(person.caller, () => ({
    writes: [
      write.update(keys.one(person.caller, 'SCHEDULE', id), {
        set: { handled_until: inDays(days), by_due_at: inDays(days) },
      }),
    ],
    reply: undefined,
  }));

const setRole = (userId: string, role: string): Promise<void> =>
  change(person.caller, () => ({
    writes: [write.update(keys.one(person.caller, 'MEMBER', userId), { set: { role } })],
    reply: undefined,
  }));

const letNoKeyDecide = (family_id: string): Promise<unknown> =>
  person.families.update({
    params: { family_id },
    body: { requires_approval: true, settings: { approval: { allow_api: false } } },
  });
