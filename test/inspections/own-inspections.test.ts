import * as listAssignedInspections from '../../functions/inspections/list-assigned-inspections.ts';
import * as selfCreateInspection from '../../functions/inspections/self-create-inspection.ts';
import * as updateInspection from '../../functions/inspections/update-inspection.ts';
import * as updateOwnInspection from '../../functions/inspections/update-own-inspection.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { call, made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { contentWith, draftedFamily, field, locs, publishedFamily } from '../templates/fixtures.ts';
import { advance, eventsOf, newColleague, newInspection, suspend } from './fixtures.ts';

const GUIDED = {
  content: { ...contentWith(field(2)), start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] } },
};

const selfCreate = async ({ key }: Person, body: object = {}): Promise<Inspection> =>
  made(selfCreateInspection, {
    as: key,
    body: { template_family_id: (await publishedFamily(key, GUIDED)).id, ...body },
  });

const patch = (key: string, { id }: { id: string }, body: object) =>
  call(updateOwnInspection, { as: key, params: { inspection_id: id }, body });

const assigned = async (key: string, query = {}): Promise<Inspection[]> =>
  made(listAssignedInspections, { as: key, query });

describe('POST /inspections/self-create', () => {
  test('201 in progress with the caller as the only participant, and told of', async () => {
    const ana = await newPerson('Ana');
    const inspection = await selfCreate(ana, { name: 'Walk', start_answers: { site: 'North' } });
    expect(inspection).toMatchObject({
      name: 'Walk',
      source: 'self',
      status: 'in_progress',
      started_at: expect.any(String),
      created_by: ana.caller.user_id,
      start_answers: { site: 'North' },
      participants: [
        { user_id: ana.caller.user_id, name: 'Ana', role: 'inspector', section_ids: [], status: 'started' },
      ],
    });
    expect(await eventsOf(ana, inspection.id)).toEqual(['inspection.created', 'inspection.started']);
    expect((await advance(ana.key, inspection)).status).toBe('completed');
  });

  test('409 for a family that is not published, 422 for participants', async () => {
    const ana = await newPerson('Ana');
    const { id } = await draftedFamily(ana.key);
    const as = ana.key;
    const unpublished = await call(selfCreateInspection, { as, body: { template_family_id: id } });
    expect(unpublished.status).toBe(409);
    const shared = await call(selfCreateInspection, {
      as,
      body: { template_family_id: id, participants: [{ user_id: ana.adminId }] },
    });
    expect([shared.status, locs(shared)]).toEqual([422, ['body.participants']]);
  });
});

describe('PATCH /inspections/{inspection_id}/self', () => {
  test('200 for the caller’s own, 403 for any other of the organization', async () => {
    const ana = await newPerson('Ana');
    const bo = await newColleague(ana, 'Bo');
    const own = await selfCreate(ana);
    const { body } = await patch(ana.key, own, { name: 'Round', expected_version: 1 });
    expect(body).toMatchObject({ name: 'Round', version: 2 });
    expect((await patch(bo.key, own, { name: 'Mine' })).status).toBe(403);
    expect((await patch(ana.key, await newInspection(ana), { name: 'Mine' })).status).toBe(403);
    expect((await patch(ana.key, own, { name: 'Old', expected_version: 1 })).status).toBe(409);
  });

  test('409 once it is locked, 422 for what only others’ inspections have', async () => {
    const ana = await newPerson('Ana');
    const own = await selfCreate(ana);
    expect(locs(await patch(ana.key, own, { participants: [] }))).toEqual(['body.participants']);
    await advance(ana.key, own);
    expect((await patch(ana.key, own, { name: 'Late' })).body.detail).toBe(
      'inspection is completed and locked',
    );
  });
});

describe('GET /inspections/assigned', () => {
  test('200 with what the caller takes part in, newest first, and filtered', async () => {
    const ana = await newPerson('Ana');
    const bo = await newColleague(ana, 'Bo');
    const participants = [{ user_id: bo.user_id }];
    const [first, second] = [
      await newInspection(ana, { participants, name: 'First' }),
      await newInspection(ana, { participants, due_at: '2020-01-01T00:00:00Z' }),
    ];
    await newInspection(ana);
    expect((await assigned(bo.key)).map(({ id }) => id)).toEqual([second.id, first.id]);
    expect((await assigned(bo.key, { overdue: true })).map(({ id }) => id)).toEqual([second.id]);
    expect((await assigned(bo.key, { q: 'first' })).map(({ id }) => id)).toEqual([first.id]);
    expect(await assigned(ana.key)).toEqual([]);
    const page = await call(listAssignedInspections, { as: bo.key, query: { limit: 1 } });
    const cursor = decodeURIComponent(/cursor=([^&>]+)/.exec(page.headers['link']!)![1]!);
    expect((await assigned(bo.key, { limit: 1, cursor })).map(({ id }) => id)).toEqual([first.id]);
    const stolen = await call(listAssignedInspections, {
      as: (await newPerson('Stranger')).key,
      query: { cursor },
    });
    expect(stolen.status).toBe(422);
  });

  test('200 without one from which the caller was taken', async () => {
    const ana = await newPerson('Ana');
    const bo = await newColleague(ana, 'Bo');
    const { id } = await newInspection(ana, { participants: [{ user_id: bo.user_id }] });
    await made(updateInspection, { as: ana.key, params: { inspection_id: id }, body: { participants: [] } });
    expect(await assigned(bo.key)).toEqual([]);
  });
});

describe('assigning', () => {
  test('400 for a member who is suspended, as participant and as approver; who stands already may stay', async () => {
    const ana = await newPerson('Ana');
    const bo = await newColleague(ana, 'Bo');
    const participants = [{ user_id: bo.user_id }];
    const before = await newInspection(ana, { participants });
    await suspend(ana, bo.user_id);
    const update = (id: string, body: object) =>
      call(updateInspection, { as: ana.key, params: { inspection_id: id }, body });
    const other = await newInspection(ana);
    const refused = await update(other.id, { participants });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      'participants.0.user_id names a member who is suspended, not active',
    ]);
    expect((await update(other.id, { approver_id: bo.user_id })).status).toBe(400);
    expect((await update(before.id, { participants: [{ user_id: bo.user_id, role: 'lead' }] })).status).toBe(
      200,
    );
  });
});
