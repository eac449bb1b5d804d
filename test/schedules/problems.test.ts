import { schedulesNaming } from '../../shared/places/locations/records.ts';
import type { CalendarRow } from '../../shared/schemas/schedules/schedule.ts';
import { change } from '../../shared/table/change.ts';
import { keys } from '../../shared/table/keys.ts';
import * as write from '../../shared/table/writes.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { traffic } from '../bench/traffic.ts';
import { newClient, newColleague, newLocation, start, suspend } from '../inspections/fixtures.ts';
import { mailTasks } from '../support/notices.ts';
import { newMember, newPerson, type Person } from '../support/people.ts';
import { publishedFamily } from '../templates/fixtures.ts';
import { cleanUp, dateIn, generateAt, inspectionsOf, newSchedule, of, shown } from './fixtures.ts';

let person: Person;
/** The locations of a schedule: three, of which the second one goes or rests. */
let places: string[];

beforeEach(async () => {
  person = await newPerson('Harbour');
  const locations = await Promise.all([1, 2, 3].map(() => newLocation(person)));
  places = locations.map(({ id }) => id);
});

/** A schedule of the three locations, whose first occurrence starts within a day. */
const scheduleOf = (fields: object = {}) =>
  newSchedule(person, { location_ids: places, create_ahead_days: 1, ...fields });

const at = (location_id: string) => ({ params: { location_id } });

const work = () => cleanUp(person);

const setStatus = async (location: string, status: 'active' | 'inactive'): Promise<void> => {
  await person.locations.update({ ...at(location), body: { status } });
  await work();
};

/** The mails about schedules that wait. Who made a change is not told of what follows from it. */
const mails = async (): Promise<{ event: string; to: string[] }[]> =>
  (await mailTasks(person)).map(({ data: { item, user_ids } }) => ({ event: item.event, to: user_ids }));

const placesOf = async (schedule: { id: string }): Promise<(string | null)[]> =>
  (await inspectionsOf(person, schedule)).map(({ location_id }) => location_id);

const calendar = (query: object = {}): Promise<CalendarRow[]> =>
  person.schedules.getCalendar({ query: { from: dateIn(0), to: dateIn(6), ...query } });

/** A client with a location that is deleted with it. */
const deletedWithItsClient = async (): Promise<{ location: string; remove: () => Promise<void> }> => {
  const client = await newClient(person);
  const { id: location } = await newLocation(person, client.id);
  const remove = async () => {
    const params = { ca_id: client.id };
    await person.clientAccounts.delete({ params, query: { cascade: true } });
    await work();
  };
  return { location, remove };
};

const expectConsistent = async () => {
  const { differences } = await checkOrganization(person.caller, { repair: false });
  expect(differences).toEqual([]);
};

describe('a location that was deleted', () => {
  test('stops no other: each of them gets its inspections, and the deleted one is listed', async () => {
    const { location, remove } = await deletedWithItsClient();
    const schedule = await scheduleOf({ location_ids: [places[0], location, places[2]] });
    await remove();
    await generateAt(person, 0);
    expect(await placesOf(schedule)).toEqual(expect.arrayContaining([places[0], places[2]]));
    const listed = [{ kind: 'location_deleted', location_id: location, user_id: null }];
    expect(await shown(person, schedule)).toMatchObject({
      generated_count: 2,
      problem: null,
      problems: listed,
    });
    await generateAt(person, 1);
    expect(await placesOf(schedule)).toHaveLength(4);
    await person.schedules.update({ ...of(schedule), body: { location_ids: places } });
    expect(await shown(person, schedule)).toMatchObject({ problems: [] });
    await expectConsistent();
  });

  test('is told of once: to the person who created the schedule, else to the admins', async () => {
    const { location, remove } = await deletedWithItsClient();
    await scheduleOf({ location_ids: [...places, location] });
    await remove();
    for (const days of [0, 0.1, 1, 2]) await generateAt(person, days);
    expect(await mails()).toEqual([{ event: 'schedule_location_deleted', to: [person.adminId] }]);
  });

  test('that was the last one leaves nothing to create, and the schedule says so', async () => {
    const { location, remove } = await deletedWithItsClient();
    const schedule = await scheduleOf({ location_ids: [location] });
    await remove();
    await generateAt(person, 2);
    expect(await placesOf(schedule)).toEqual([]);
    expect((await shown(person, schedule)).problem).toMatchObject({
      kind: 'location_gone',
      resource_id: location,
    });
    expect(await mails()).toEqual([{ event: 'schedule_stopped', to: [person.adminId] }]);
    expect(await calendar()).toEqual([]);
  });
});

describe('an assignee who has left', () => {
  test('is left out; the others carry on', async () => {
    const [rolf, ada] = [await newColleague(person, 'Rolf'), await newColleague(person, 'Ada')];
    const schedule = await scheduleOf({ assignee_ids: [rolf.user_id, ada.user_id] });
    await suspend(person, rolf.user_id);
    const projected = await calendar();
    expect(projected.map(({ assignee_ids }) => assignee_ids)).toEqual(projected.map(() => [ada.user_id]));
    await generateAt(person, 0);
    const inspections = await inspectionsOf(person, schedule);
    expect(inspections.map(({ participants }) => participants.map(({ name }) => name).join())).toEqual(
      Array(3).fill('Ada'),
    );
    expect(await shown(person, schedule)).toMatchObject({
      problem: null,
      problems: [{ kind: 'assignee_left', user_id: rolf.user_id, location_id: null }],
    });
  });

  test('who was the last one leaves inspections without an assignee, of which an admin is told', async () => {
    const inspector = await newMember(person, 'inspector', 'Rolf');
    const schedule = await scheduleOf({ assignee_ids: [inspector.user_id] });
    await suspend(person, inspector.user_id);
    await generateAt(person, 0);
    const inspections = await inspectionsOf(person, schedule);
    expect(inspections.map(({ participants }) => participants)).toEqual([[], [], []]);
    expect(await mails()).toEqual([{ event: 'schedule_unassigned', to: [person.adminId] }]);
  });
});

describe('an approver who has left', () => {
  test.each([
    ['the owner, and the admins when nobody else is named to approve', [], true],
    ['the owner alone when others are named', ['named'], false],
  ])('is told of once: to %s', async (_, named, areAdminsTold) => {
    const [owner, approver] = [
      await newMember(person, 'approver', 'Ida'),
      await newMember(person, 'approver', 'Apo'),
    ];
    const approver_ids = named.map(() => owner.user_id);
    const family = { requires_approval: true, settings: { approval: { approver_ids } } };
    const { id } = await scheduleOf({ family, approver_id: approver.user_id });
    const { caller } = person;
    const created_by = { set: { created_by: owner.user_id } };
    await change(caller, () => ({
      writes: [write.update(keys.one(caller, 'SCHEDULE', id), created_by)],
      reply: undefined,
    }));
    await suspend(person, approver.user_id);
    for (const days of [0, 1, 2]) await generateAt(person, days);
    const to = [owner.user_id, ...(areAdminsTold ? [person.adminId] : [])];
    expect((await mails()).filter(({ event }) => event.startsWith('schedule'))).toEqual([
      { event: 'schedule_approver_left', to },
    ]);
  });
});

describe('GET /inspection-schedules?has_problems', () => {
  test('200 with the schedules for which something is missing, and few calls however many others there are', async () => {
    const whole = await scheduleOf();
    const { location, remove } = await deletedWithItsClient();
    const { template_family_id } = whole;
    const lacking = [];
    for (const title of ['One', 'Two', 'Three']) {
      lacking.push(await scheduleOf({ template_family_id, title, location_ids: [...places, location] }));
    }
    await remove();
    const list = (query: Record<string, string | number | boolean>) => person.schedules.list({ query });
    const titles = (schedules: { title: string }[]) => schedules.map(({ title }) => title);
    expect(titles(await list({ has_problems: true }))).toEqual(['One', 'Two', 'Three']);
    expect(titles(await list({ has_problems: false }))).toEqual(['Daily walk']);
    expect(titles(await list({ has_problems: true, q: 't' }))).toEqual(['Two', 'Three']);
    const first = await person.try.schedules.list({ query: { has_problems: true, limit: 2 } });
    expect(titles(first.body)).toEqual(['One', 'Two']);
    const { searchParams } = new URL(/<(.+)>/.exec(first.headers['link']!)![1]!, 'http://host');
    const cursor = searchParams.get('cursor')!;
    expect(titles(await list({ has_problems: true, limit: 2, cursor }))).toEqual(['Three']);
    const { calls } = await traffic(async () => void (await list({ has_problems: true })));
    expect(calls).toBeLessThanOrEqual(5);
  });
});

describe('an inactive location', () => {
  test('gets no inspections and no projected rows; those that nobody has started are archived', async () => {
    const [, resting] = places;
    const schedule = await scheduleOf({ create_ahead_days: 2 });
    await generateAt(person, 0);
    const begun = (await inspectionsOf(person, schedule)).find(({ location_id }) => location_id === resting);
    await start(person.key, begun!);
    await setStatus(resting!, 'inactive');
    const of2 = async () =>
      person.inspections.list({ query: { schedule_id: schedule.id, location_id: resting! } });
    const statuses = async () =>
      (await of2()).map(({ status, archive_reason }: Record<string, unknown>) => [status, archive_reason]);
    expect((await statuses()).toSorted()).toEqual([
      ['archived', 'location_inactive'],
      ['in_progress', null],
    ]);
    await generateAt(person, 3);
    expect(await of2()).toHaveLength(2);
    expect(await placesOf(schedule)).toHaveLength(2 + 2 * 5);
    const rows = await calendar({ from: dateIn(5), to: dateIn(6) });
    expect(rows.map(({ location_id }) => location_id)).not.toContain(resting);
    expect(rows).toHaveLength(4);
    expect(await shown(person, schedule)).toMatchObject({
      problems: [{ kind: 'location_inactive', location_id: resting }],
    });
    await expectConsistent();
  });

  test('that is active again goes on with what lies ahead', async () => {
    const [, resting] = places;
    const schedule = await scheduleOf({ create_ahead_days: 2 });
    await generateAt(person, 0);
    await setStatus(resting!, 'inactive');
    await generateAt(person, 1);
    expect(await placesOf(schedule)).toHaveLength(2 * 3 + 1 * 2);
    await setStatus(resting!, 'active');
    expect(await shown(person, schedule)).toMatchObject({ problems: [], problem: null });
    await generateAt(person, 1);
    const inspections = await inspectionsOf(person, schedule);
    expect(inspections).toHaveLength(9);
    expect(inspections.every(({ status, archive_reason }) => status === 'scheduled' && !archive_reason)).toBe(
      true,
    );
  });

  test('restores nothing that a person has archived, or that was cancelled meanwhile', async () => {
    const [, resting] = places;
    const schedule = await scheduleOf({ create_ahead_days: 2, location_ids: [resting] });
    await generateAt(person, 0);
    const [first] = await inspectionsOf(person, schedule);
    await person.inspections.archive({ params: { inspection_id: first!.id } });
    await setStatus(resting!, 'inactive');
    const body = { occurrence_date: dateIn(1), action: 'cancel' };
    await person.schedules.createOverride({ ...of(schedule), body });
    await setStatus(resting!, 'active');
    const statuses = (await inspectionsOf(person, schedule)).map(({ status }) => status);
    expect(statuses).toEqual(['archived', 'archived']);
  });

  test('stays without inspections when an override that left them out is deleted', async () => {
    const [, resting] = places;
    const schedule = await scheduleOf();
    await generateAt(person, 0);
    const body = { occurrence_date: dateIn(0), action: 'skip' };
    const { id } = await person.schedules.createOverride({ ...of(schedule), body });
    await setStatus(resting!, 'inactive');
    const params = { schedule_id: schedule.id, override_id: id };
    await person.schedules.deleteOverride({ params });
    const open = async () =>
      (await inspectionsOf(person, schedule)).filter(({ status }) => status === 'scheduled');
    expect((await open()).map(({ location_id }) => location_id)).not.toContain(resting);
    expect(await open()).toHaveLength(2);
    await setStatus(resting!, 'active');
    expect(await open()).toHaveLength(3);
  });

  test('POST /inspections: 409 at an inactive location, 201 where the request allows it', async () => {
    const { id: template_family_id } = await publishedFamily(person.key);
    await setStatus(places[0]!, 'inactive');
    const body = { template_family_id, location_id: places[0] };
    const refused = await person.try.inspections.create({ body });
    expect([refused.status, refused.headers['x-error-code']]).toEqual([409, 'location_inactive']);
    const allowed = await person.try.inspections.create({ body: { ...body, allow_inactive: true } });
    expect(allowed.status).toBe(201);
    expect(allowed.body).not.toHaveProperty('allow_inactive');
    await work();
    expect(await person.inspections.list()).toMatchObject([{ status: 'scheduled' }]);
  });

  test('is listed at once in a schedule that names it from the start', async () => {
    await setStatus(places[0]!, 'inactive');
    const schedule = await scheduleOf();
    expect(schedule.problems).toMatchObject([{ kind: 'location_inactive', location_id: places[0] }]);
    const others = places.slice(1);
    const body = { location_ids: others };
    expect(await person.schedules.update({ ...of(schedule), body })).toMatchObject({
      problems: [],
    });
  });
});

describe('DELETE /locations/{location_id}', () => {
  test('409 names the schedules, the first ten of them', async () => {
    const { template_family_id } = await scheduleOf({ title: 'Weekly audit' });
    for (let more = 0; more < 11; more += 1) await scheduleOf({ template_family_id, title: `No. ${more}` });
    const { status, headers, body } = await person.try.locations.delete(at(places[1]!));
    expect([status, headers['x-error-code']]).toEqual([409, 'location_scheduled']);
    expect(body.detail).toMatch(
      /“Weekly audit” \([-0-9a-f]{36}\), “No. 0” .*“No. 8” \([-0-9a-f]{36}\) and 2 more/,
    );
  });

  test('204 with from_schedules=remove takes it out of them, and pauses one that has no other', async () => {
    const schedule = await scheduleOf();
    const only = await scheduleOf({ location_ids: [places[1]] });
    const query = { from_schedules: 'remove' };
    expect((await person.try.locations.delete({ ...at(places[1]!), query })).status).toBe(204);
    expect(await shown(person, schedule)).toMatchObject({
      location_ids: [places[0], places[2]],
      status: 'active',
      problems: [],
    });
    expect(await shown(person, only)).toMatchObject({ location_ids: [], status: 'paused' });
    await work();
    expect(await Array.fromAsync(schedulesNaming(person.caller, places[1]!))).toEqual([]);
    await expectConsistent();
  });

  test('409 changes no schedule when inspections keep the location', async () => {
    const schedule = await scheduleOf();
    await generateAt(person, 0);
    const query = { from_schedules: 'remove' };
    expect((await person.try.locations.delete({ ...at(places[1]!), query })).status).toBe(409);
    expect((await shown(person, schedule)).location_ids).toEqual(places);
  });
});
