import { handler as deleteRemains } from '../../functions/workers/delete-remains.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import type { Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { newColleague, newLocation, start } from '../inspections/fixtures.ts';
import { deliver, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { DAILY, generateAt, inspectionsOf, manyLocations, newSchedule, of, shown } from './fixtures.ts';

let person: Person;

beforeEach(async () => {
  person = await newPerson('Harbour');
});

/** A schedule with four inspections, of which somebody has started the first one. */
const generated = async (fields: object = {}): Promise<Schedule> => {
  const schedule = await newSchedule(person, { create_ahead_days: 4, ...fields });
  await generateAt(person, 0);
  const [first] = await inspectionsOf(person, schedule);
  await start(person.key, first!);
  return schedule;
};

const statusesOf = async (schedule: Schedule): Promise<string[]> =>
  (await inspectionsOf(person, schedule)).map(({ status }) => status);

type Query = Record<string, string | boolean>;

const changed = (schedule: Schedule, body: object, query: Query): Promise<Record<string, unknown>> =>
  person.schedules.update({ ...of(schedule), body, query });

/** What the service says in the history of an inspection about its end. */
const archivedBecause = async ({ id }: Inspection): Promise<string[]> => {
  const entries = await person.inspections.listActivity({ params: { inspection_id: id } });
  return entries.flatMap(({ kind, comment }: { kind: string; comment: string }) =>
    kind === 'archived' ? [comment] : [],
  );
};

describe('PATCH /inspection-schedules/{schedule_id}?created', () => {
  test('keep leaves inspections that exist as they are', async () => {
    const schedule = await generated();
    await changed(schedule, { title: 'Evening walk' }, {});
    expect((await inspectionsOf(person, schedule)).map(({ name }) => name)).toEqual(
      Array(4).fill('Daily walk'),
    );
  });

  test('update gives those that nobody has started what new ones get; a dry run counts them', async () => {
    const schedule = await generated({ window: { due_after: 'P1D' } });
    const { user_id } = await newColleague(person, 'Rolf');
    const body = {
      title: 'Evening walk',
      assignee_ids: [user_id],
      approver_id: person.adminId,
      recurrence: { ...DAILY, dtstart_local: `2026-01-01T${DAILY.dtstart_local.slice(11, 14)}00` },
      window: { due_after: 'PT8H' },
    };
    const before = await inspectionsOf(person, schedule);
    const dry = await changed(schedule, body, { created: 'update', dry_run: true });
    expect(dry).toEqual({ ...schedule, ...dry, title: 'Daily walk', version: schedule.version });
    expect(dry['created_inspections']).toEqual({ kept: 0, updated: 3, archived: 0 });
    expect(await inspectionsOf(person, schedule)).toEqual(before);

    await changed(schedule, body, { created: 'update' });
    const [started, ...others] = await inspectionsOf(person, schedule);
    expect(started).toMatchObject({ name: 'Daily walk', participants: [], approver_id: null });
    for (const each of others) {
      const starts = `${each.occurrence_date}T${DAILY.dtstart_local.slice(11, 14)}00:00.000Z`;
      expect(each).toMatchObject({
        name: 'Evening walk',
        scheduled_for: starts,
        due_at: new Date(Date.parse(starts) + 8 * 3_600_000).toISOString(),
        approver_id: person.adminId,
        participants: [{ user_id, role: 'inspector' }],
      });
    }
    const again = await changed(schedule, {}, { created: 'update', dry_run: true });
    expect(again['created_inspections']).toEqual({ kept: 3, updated: 0, archived: 0 });
  });

  test('archive archives them, and their history says why; they are not created again', async () => {
    const schedule = await generated();
    const dry = await changed(schedule, {}, { created: 'archive', dry_run: true });
    expect(dry['created_inspections']).toEqual({ kept: 0, updated: 0, archived: 3 });
    await changed(schedule, { title: 'Evening walk' }, { created: 'archive' });
    expect(await statusesOf(schedule)).toEqual(['in_progress', 'archived', 'archived', 'archived']);
    const [, archived] = await inspectionsOf(person, schedule);
    expect(archived!.archive_reason).toBe('schedule_changed');
    expect(await archivedBecause(archived!)).toEqual(['The schedule was changed.']);
    await generateAt(person, 1);
    expect(await statusesOf(schedule)).toHaveLength(5);
  });

  test('a worker does the rest of many, also when the request ends too early', async () => {
    const location_ids = await manyLocations(person, 60);
    const schedule = await newSchedule(person, { create_ahead_days: 1, location_ids });
    await generateAt(person, 0);
    await changed(schedule, { title: 'Evening walk' }, { created: 'archive' });
    const open = async () => (await statusesOf(schedule)).filter((status) => status === 'scheduled').length;
    expect(await open()).toBe(35);
    // Inspections of the changed schedule are not meant.
    await generateAt(person, 1);
    const tasks = await waitingTasks(person.caller);
    const task = tasks.find(({ data }) => 'created_by_schedule' in data)!;
    expect(await deliver(deleteRemains, task)).toBe(true);
    expect(await open()).toBe(60);
  });
});

describe('DELETE /inspection-schedules/{schedule_id}?created', () => {
  test('200 a dry run counts, 204 archive archives what nobody has started', async () => {
    const location = await newLocation(person);
    const { id } = await generated({ location_ids: [location.id] });
    const schedule = await shown(person, { id });
    const remove = (query: Query) => person.try.schedules.delete({ ...of(schedule), query });
    const dry = await remove({ created: 'archive', dry_run: true });
    expect([dry.status, dry.body]).toEqual([200, { kept: 0, updated: 0, archived: 3 }]);
    expect(await shown(person, schedule)).toEqual(schedule);
    expect((await remove({ created: 'archive' })).status).toBe(204);
    expect(await statusesOf(schedule)).toEqual(['in_progress', 'archived', 'archived', 'archived']);
    const [, archived] = await inspectionsOf(person, schedule);
    expect(await archivedBecause(archived!)).toEqual(['The schedule was deleted.']);
  });

  test('422 for update: nothing is left to take anything from', async () => {
    const schedule = await newSchedule(person);
    const query = { created: 'update' };
    expect((await person.try.schedules.delete({ ...of(schedule), query })).status).toBe(422);
  });
});
