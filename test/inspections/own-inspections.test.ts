import * as errors from '../../shared/base/errors.ts';
import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { as, locs } from '../support/call.ts';
import { contentWith, field } from '../support/content.ts';
import { newPerson, type Person } from '../support/people.ts';
import { draftedFamily, publishedFamily } from '../templates/fixtures.ts';
import { advance, eventsOf, newColleague, newInspection, suspend } from './fixtures.ts';

const WITH_SITE = {
  content: { ...contentWith(field(2)), start: { fields: [{ key: 'site', type: 'text', label: 'Site' }] } },
};

const selfCreate = async ({ key }: Person, body: object = {}): Promise<Inspection> =>
  as(key).inspections.selfCreate({
    body: { template_family_id: (await publishedFamily(key, WITH_SITE)).id, ...body },
  });

const patch = (key: string, { id }: { id: string }, body: object) =>
  as(key).try.inspections.updateOwn({ params: { inspection_id: id }, body });

const assigned = async (key: string, query = {}): Promise<Inspection[]> =>
  as(key).inspections.listAssigned({ query });

describe('POST /inspections/self-create', () => {
  test('201 in progress with the caller as the only participant, and with two events', async () => {
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

  test('409 for a family that is not published; 422 for participants', async () => {
    const ana = await newPerson('Ana');
    const { id } = await draftedFamily(ana.key);
    const unpublished = await ana.try.inspections.selfCreate({ body: { template_family_id: id } });
    expect(unpublished.status).toBe(409);
    const shared = await ana.try.inspections.selfCreate({
      body: { template_family_id: id, participants: [{ user_id: ana.adminId }] },
    });
    expect([shared.status, locs(shared)]).toEqual([422, ['body.participants']]);
  });
});

describe('PATCH /inspections/{inspection_id}/self', () => {
  test('200 for the caller’s own inspection, 403 for any other one of the organization', async () => {
    const ana = await newPerson('Ana');
    const bo = await newColleague(ana, 'Bo');
    const own = await selfCreate(ana);
    const { body } = await patch(ana.key, own, { name: 'Round', expected_version: 1 });
    expect(body).toMatchObject({ name: 'Round', version: 2 });
    expect((await patch(bo.key, own, { name: 'Mine' })).status).toBe(403);
    expect((await patch(ana.key, await newInspection(ana), { name: 'Mine' })).status).toBe(403);
    expect((await patch(ana.key, own, { name: 'Old', expected_version: 1 })).status).toBe(409);
  });

  test('409 for a locked inspection; 422 for participants, which an own inspection cannot change', async () => {
    const ana = await newPerson('Ana');
    const own = await selfCreate(ana);
    expect(locs(await patch(ana.key, own, { participants: [] }))).toEqual(['body.participants']);
    await advance(ana.key, own);
    expect((await patch(ana.key, own, { name: 'Late' })).body.detail).toBe(
      errors.inspectionLocked('completed').detail,
    );
  });
});

describe('GET /inspections/assigned', () => {
  test('200 with the inspections that the caller takes part in, newest first, and filtered', async () => {
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
    const page = await as(bo).try.inspections.listAssigned({ query: { limit: 1 } });
    const cursor = decodeURIComponent(/cursor=([^&>]+)/.exec(page.headers['link']!)![1]!);
    expect((await assigned(bo.key, { limit: 1, cursor })).map(({ id }) => id)).toEqual([first.id]);
    const foreign = await as((await newPerson('Stranger')).key).try.inspections.listAssigned({
      query: { cursor },
    });
    expect(foreign.status).toBe(422);
  });

  test('200 without an inspection that the caller no longer takes part in', async () => {
    const ana = await newPerson('Ana');
    const bo = await newColleague(ana, 'Bo');
    const { id } = await newInspection(ana, { participants: [{ user_id: bo.user_id }] });
    await ana.inspections.update({ params: { inspection_id: id }, body: { participants: [] } });
    expect(await assigned(bo.key)).toEqual([]);
  });
});

describe('PATCH /inspections/{inspection_id}', () => {
  test('400 for a suspended member as a new participant or approver; 200 for one who is a participant already', async () => {
    const ana = await newPerson('Ana');
    const bo = await newColleague(ana, 'Bo');
    const participants = [{ user_id: bo.user_id }];
    const before = await newInspection(ana, { participants });
    await suspend(ana, bo.user_id);
    const update = (id: string, body: object) =>
      ana.try.inspections.update({ params: { inspection_id: id }, body });
    const other = await newInspection(ana);
    const refused = await update(other.id, { participants });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      errors.memberNotActive('participants.0.user_id', 'suspended').detail,
    ]);
    expect((await update(other.id, { approver_id: bo.user_id })).status).toBe(400);
    expect((await update(before.id, { participants: [{ user_id: bo.user_id, role: 'lead' }] })).status).toBe(
      200,
    );
  });
});
