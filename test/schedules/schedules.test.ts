import { handler as deleteRemains } from '../../functions/workers/delete-remains.ts';
import type { Schedule } from '../../shared/schemas/schedules/schedule.ts';
import { keys } from '../../shared/table/keys.ts';
import { beforeWriting } from '../answers/fixtures.ts';
import { newClient, newColleague, newLocation, sortKeys, suspend } from '../inspections/fixtures.ts';
import { type Answer, locs } from '../support/call.ts';
import { installFaults, withFault } from '../support/faults.ts';
import { deliver, waitingEvents, waitingTasks } from '../support/outbox.ts';
import { newPerson, type Person } from '../support/people.ts';
import { draftedFamily, publishedFamily } from '../templates/fixtures.ts';
import { DAILY, dateIn, generateAt, manyLocations, newSchedule, of, shown } from './fixtures.ts';

installFaults();

let person: Person;
let template_family_id: string;

beforeEach(async () => {
  person = await newPerson('Harbour');
  template_family_id = (await publishedFamily(person.key)).id;
});

const post = (fields: object): Promise<Answer> =>
  person.try.schedules.create({
    body: { title: 'Walk', recurrence: DAILY, template_family_id, ...fields },
  });

const make = (fields: object = {}): Promise<Schedule> =>
  newSchedule(person, { template_family_id, ...fields });

const patch = (schedule: { id: string }, body: object, headers = {}): Promise<Answer> =>
  person.try.schedules.update({ ...of(schedule), body, headers });

const scheduleEvents = async (): Promise<string[]> =>
  (await waitingEvents(person.caller)).flatMap(({ type }) => (type?.startsWith('schedule.') ? [type] : []));

describe('POST /inspection-schedules', () => {
  test('201 with what is left out, and what lies ahead', async () => {
    const { status, body } = await post({});
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        title: 'Walk',
        status: 'active',
        paused_reason: null,
        create_ahead_days: 7,
        window: { due_after: 'P1D', miss_after: null },
        location_ids: [],
        overrides: [],
        problem: null,
        generated_count: 0,
        last_generated_at: null,
        version: 1,
        created_by: person.caller.user_id,
      },
    });
    expect(body.description).not.toBe('');
    expect(body.next_occurrence_at.slice(0, 16)).toBe(`${dateIn(0)}T${DAILY.dtstart_local.slice(11)}`);
    expect(await person.schedules.get(of(body))).toEqual(body);
    expect(await scheduleEvents()).toEqual(['schedule.created']);
  });

  test('201 warns of a yearly rule from 29 February', async () => {
    const leap = { rrule: 'FREQ=YEARLY', dtstart_local: '2028-02-29T09:00', timezone: 'UTC' };
    expect((await post({ recurrence: leap })).body).toMatchObject({ warnings: ['leap_years_only'] });
    expect(await make()).toMatchObject({ warnings: [] });
  });

  test('201 warns of months that the rule leaves out before it ends, until a change includes them', async () => {
    const monthly = { rrule: 'FREQ=MONTHLY', dtstart_local: '2028-01-31T09:00', timezone: 'UTC' };
    const { body } = await post({ recurrence: monthly, ends_on: '2028-05-31' });
    expect(body).toMatchObject({
      warnings: ['months_left_out'],
      left_out: { months: [2, 4], sometimes: [], skip: ['BACKWARD', 'FORWARD'] },
    });
    const included = await patch(body, {
      recurrence: { rrule: 'RSCALE=GREGORIAN;FREQ=MONTHLY;SKIP=FORWARD' },
    });
    expect(included.body).toMatchObject({ warnings: [], left_out: null });
    expect(await person.schedules.get(of(body))).toMatchObject({
      description:
        'every month on the 31st (in shorter months the first day of the next month) at 09:00, UTC',
      left_out: null,
    });
  });

  test('422 for rules that cannot be read, never occur, or have nothing ahead, and for unknown fields', async () => {
    const rules = ['FREQ=HOURLY', 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'FREQ=DAILY;UNTIL=20260201'];
    for (const rrule of rules) {
      expect(locs(await post({ recurrence: { ...DAILY, rrule } }))).toEqual(['body.recurrence.rrule']);
    }
    expect(locs(await post({ ends_on: '2026-02-01' }))).toEqual(['body.recurrence.rrule']);
    const twice = [person.caller.user_id, person.caller.user_id];
    const wrong = await post({
      create_ahead_days: 91,
      assignee_ids: twice,
      window: { due_after: '1d' },
      x: 1,
    });
    expect(locs(wrong).toSorted()).toEqual([
      'body.assignee_ids.1',
      'body.create_ahead_days',
      'body.window.due_after',
      'body.x',
    ]);
  });

  test('400 naming what does not exist, who is not active, and a location of another client', async () => {
    const stranger = await newPerson('Stranger');
    const missing = await post({
      template_family_id: (await publishedFamily(stranger.key)).id,
      location_ids: [(await newLocation(person)).id, (await newLocation(stranger)).id],
      assignee_ids: [stranger.caller.user_id],
    });
    expect(missing.body.detail).toBe('template_family_id, location_ids.1, assignee_ids.0 do not exist.');
    const colleague = await newColleague(person, 'Rolf');
    await suspend(person, colleague.user_id);
    const gone = await post({ assignee_ids: [person.caller.user_id, colleague.user_id] });
    expect(gone.body.detail).toBe('assignee_ids.1 names a member who is suspended, not active.');
    const [ours, theirs] = [await newClient(person), await newClient(person)];
    const location_ids = [(await newLocation(person, theirs.id)).id];
    const other = await post({ client_account_id: ours.id, location_ids });
    expect([other.status, other.headers['x-error-code']]).toEqual([400, 'other_client_account']);
  });

  test('400 for somebody who would approve their own work, in a new schedule and in a changed one', async () => {
    const [ina, apo] = [await newColleague(person, 'Ina'), await newColleague(person, 'Apo')];
    const refused = async (sent: Promise<Answer>) => {
      const { status, headers, body } = await sent;
      return [status, headers['x-error-code'], body.detail.split(' ')[0]];
    };
    const both = { assignee_ids: [ina.user_id, apo.user_id], approver_id: apo.user_id };
    const code = [400, 'approver_takes_part'];
    expect(await refused(post(both))).toEqual([...code, 'assignee_ids.1']);
    const assigned = await make({ assignee_ids: [apo.user_id] });
    expect(await refused(patch(assigned, { approver_id: apo.user_id }))).toEqual([...code, 'approver_id']);
    const approved = await make({ approver_id: apo.user_id });
    const assignee_ids = [apo.user_id];
    expect(await refused(patch(approved, { assignee_ids }))).toEqual([...code, 'assignee_ids.0']);
  });

  test('409 for a family that is not published, and an external_ref in use', async () => {
    const draft = await draftedFamily(person.key);
    expect((await post({ template_family_id: draft.id })).headers['x-error-code']).toBe('family_status');
    await make({ external_ref: 'cmms-1' });
    expect((await post({ external_ref: 'cmms-1' })).headers['x-error-code']).toBe('value_in_use');
  });

  test('201 for the most locations and assignees', async () => {
    const location_ids = await manyLocations(person, 200);
    const { status, body } = await post({ location_ids });
    expect([status, body.location_ids]).toEqual([201, location_ids]);
  });
});

describe('GET /inspection-schedules', () => {
  test('200 with those that match all filters, in creation order, page by page', async () => {
    const client = await newClient(person);
    const location = await newLocation(person, client.id);
    const other = await publishedFamily(person.key);
    const all = [
      await make({ title: 'Roof Check', client_account_id: client.id, location_ids: [location.id] }),
      await make({ title: 'Crane check', assignee_ids: [person.adminId], external_ref: 'cmms-1' }),
      await make({ title: 'Pier', template_family_id: other.id }),
    ];
    await patch(all[1]!, { status: 'paused' });
    await person.families.archive({ params: { family_id: other.id } });
    const found = async (query: object): Promise<number[]> => {
      const { body } = await person.try.schedules.list({ query: { ...query } });
      return body.map(({ id }: Schedule) => all.findIndex((each) => each.id === id));
    };
    expect(await found({})).toEqual([0, 1, 2]);
    expect(await found({ status: 'active' })).toEqual([0]);
    expect(await found({ status: ['paused', 'ended'] })).toEqual([1, 2]);
    expect(await found({ template_family_id: other.id })).toEqual([2]);
    expect(await found({ client_account_id: client.id })).toEqual([0]);
    expect(await found({ location_id: location.id })).toEqual([0]);
    expect(await found({ assignee_id: person.adminId })).toEqual([1]);
    expect(await found({ external_ref: 'cmms-1' })).toEqual([1]);
    expect(await found({ external_ref: 'cmms-2' })).toEqual([]);
    expect(await found({ q: 'CHECK' })).toEqual([0, 1]);
    const first = await person.try.schedules.list({ query: { limit: 2 } });
    const cursor = new URL(/<(.+)>/.exec(first.headers['link']!)![1]!, 'http://host').searchParams.get(
      'cursor',
    )!;
    const second = await person.try.schedules.list({ query: { limit: 2, cursor } });
    expect([...first.body, ...second.body].map(({ id }: Schedule) => id)).toEqual(all.map(({ id }) => id));
    expect(second.headers['link']).toBeUndefined();
  });
});

describe('PATCH /inspection-schedules/{schedule_id}', () => {
  test('200 with only the given fields changed', async () => {
    const schedule = await make({ window: { due_after: 'PT8H' }, external_ref: 'cmms-1' });
    const { body } = await patch(schedule, {
      title: 'Round',
      recurrence: { timezone: 'Asia/Tokyo' },
      window: { miss_after: 'P3D' },
      external_ref: null,
    });
    expect(body).toMatchObject({
      title: 'Round',
      recurrence: { ...DAILY, timezone: 'Asia/Tokyo' },
      window: { due_after: 'PT8H', miss_after: 'P3D' },
      external_ref: null,
      version: 2,
    });
    expect((await post({ external_ref: 'cmms-1' })).status).toBe(201);
    expect(await scheduleEvents()).toEqual(['schedule.created', 'schedule.updated', 'schedule.created']);
  });

  test('200 for what does not touch somebody who has left', async () => {
    const colleague = await newColleague(person, 'Rolf');
    const schedule = await make({ assignee_ids: [colleague.user_id] });
    await suspend(person, colleague.user_id);
    expect((await patch(schedule, { title: 'Round' })).status).toBe(200);
    expect((await patch(schedule, { assignee_ids: [colleague.user_id, person.adminId] })).status).toBe(400);
    expect((await patch(schedule, { assignee_ids: [] })).status).toBe(200);
  });

  test('400 for a location of another client, 409 for a family that is not published', async () => {
    const [ours, theirs] = [await newClient(person), await newClient(person)];
    const schedule = await make({ client_account_id: ours.id });
    const location_ids = [(await newLocation(person, theirs.id)).id];
    expect((await patch(schedule, { location_ids })).headers['x-error-code']).toBe('other_client_account');
    const draft = await draftedFamily(person.key);
    const refused = await patch(schedule, { template_family_id: draft.id });
    expect(refused.headers['x-error-code']).toBe('family_status');
  });

  test('200 that ends a schedule, and one that revives it; 409 for a status that it cannot have', async () => {
    const schedule = await make();
    const ended = await patch(schedule, { ends_on: '2026-02-01' });
    expect(ended.body).toMatchObject({ status: 'ended', next_occurrence_at: null, paused_reason: null });
    for (const status of ['active', 'paused']) {
      expect((await patch(schedule, { status })).headers['x-error-code']).toBe('schedule_ended');
    }
    expect((await patch(schedule, { title: 'Round' })).body.status).toBe('ended');
    await generateAt(person, 3);
    const revived = await patch(schedule, { ends_on: null });
    expect(revived.body).toMatchObject({ status: 'active', generated_count: 0 });
  });

  test('409 for another version; a generator that works meanwhile does not change it', async () => {
    const schedule = await make({ create_ahead_days: 2 });
    await generateAt(person, 0);
    expect((await patch(schedule, { title: 'Round' }, { 'If-Match': '"1"' })).status).toBe(200);
    expect((await patch(schedule, { title: 'Trip', expected_version: 1 })).headers['x-error-code']).toBe(
      'version_mismatch',
    );
    expect(await shown(person, schedule)).toMatchObject({ generated_count: 2, version: 2 });
  });
});

describe('a client and a generator at once', () => {
  test('200, and neither loses what the other has stored', async () => {
    const schedule = await make({ create_ahead_days: 2 });
    const generate = beforeWriting(() => generateAt(person, 0));
    const { status } = await withFault(generate, () => patch(schedule, { title: 'Round' }));
    expect(status).toBe(200);
    expect(await shown(person, schedule)).toMatchObject({ title: 'Round', generated_count: 2 });
  });
});

describe('DELETE /inspection-schedules/{schedule_id}', () => {
  test('204, and what it knew of its inspections is deleted by a worker', async () => {
    const schedule = await make({ create_ahead_days: 2, external_ref: 'cmms-1' });
    await generateAt(person, 0);
    const stale = { ...of(schedule), headers: { 'If-Match': '"7"' } };
    expect((await person.try.schedules.delete(stale)).status).toBe(409);
    expect((await person.try.schedules.delete(of(schedule))).status).toBe(204);
    expect((await person.try.schedules.get(of(schedule))).status).toBe(404);
    const tasks = (await waitingTasks(person.caller)).filter(({ outbox }) => outbox === 'cleanup');
    for (const task of tasks) expect(await deliver(deleteRemains, task)).toBe(true);
    const left = await sortKeys(person, keys.below(person.caller, 'SCHEDULE', schedule.id));
    expect(left.map((sk) => sk.split('#')[0])).toEqual(['STARTS', 'STARTS', 'UNSTARTED', 'UNSTARTED']);
    expect((await post({ external_ref: 'cmms-1' })).status).toBe(201);
    expect(await scheduleEvents()).toEqual(['schedule.created', 'schedule.deleted', 'schedule.created']);
  });
});

describe('DELETE /client-accounts/{ca_id} and /templates/families/{family_id}', () => {
  test('409 while a schedule uses them, 204 afterwards', async () => {
    const client = await newClient(person);
    const schedule = await make({ client_account_id: client.id });
    const removals = [
      () => person.try.clientAccounts.delete({ params: { ca_id: client.id } }),
      () => person.try.families.delete({ params: { family_id: template_family_id } }),
    ];
    for (const remove of removals) expect((await remove()).headers['x-error-code']).toBe('still_used');
    await person.schedules.delete(of(schedule));
    for (const remove of removals) expect((await remove()).status).toBe(204);
  });
});
