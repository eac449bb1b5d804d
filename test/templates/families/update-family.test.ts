import * as updateFamily from '../../../functions/templates/families/update-family.ts';
import * as errors from '../../../shared/base/errors.ts';
import type { Family } from '../../../shared/schemas/templates/family.ts';
import { as, locs, statusCounts } from '../../support/call.ts';
import { uuid } from '../../support/content.ts';
import { auditOf, newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { allowApi, draftedFamily } from '../fixtures.ts';

describe('PATCH /templates/families/{family_id}', () => {
  let ana: Person;
  let family: Family;
  beforeAll(async () => {
    installRecorder();
    ana = await newPerson('Ana');
  });
  beforeEach(async () => {
    family = await draftedFamily(ana.key, { description: 'Daily', tags: ['Lifting'] });
  });
  const patch = (body: unknown, headers: Record<string, string> = {}) =>
    ana.try.families.update({ params: { family_id: family.id }, body, headers });

  test('200, and only the given fields change', async () => {
    const { status, body } = await patch({ description: 'Weekly' });
    expect(status).toBe(200);
    expect(updateFamily.operation.response.parse(body)).toEqual(body);
    expect(body).toEqual({
      ...family,
      description: 'Weekly',
      version: 2,
      updated_at: expect.not.stringMatching(family.updated_at),
    });
    expect(await ana.families.list({ query: { updated_since: body.updated_at } })).toContainEqual(body);
  });

  test('200 for an empty object, which changes nothing', async () => {
    expect(await patch({})).toMatchObject({
      status: 200,
      body: family,
      headers: { etag: expect.stringMatching(/^"1-/) },
    });
  });

  test.each([null, '', ' \n\t '])('200, and the description %j is stored as null', async (description) => {
    const { status, body } = await patch({ description });
    expect([status, body.description, body.name]).toEqual([200, null, family.name]);
  });

  test('403 for a key that lets keys approve or forbids it, and 200 where that stays as it is', async () => {
    const refused = errors.settingNotForKeys('settings.approval.allow_api').detail;
    const allow = (allow_api: boolean) => patch({ name: 'Lift', settings: { approval: { allow_api } } });
    expect(await allow(true)).toMatchObject({ status: 403, body: { detail: refused } });
    expect(await allow(false)).toMatchObject({ status: 200, body: { name: 'Lift' } });
    await allowApi(ana.key, family.id);
    expect(await allow(false)).toMatchObject({ status: 403, body: { detail: refused } });
    expect((await allow(true)).status).toBe(200);
    const records = (await auditOf(ana)).filter(({ target_id }) => target_id === family.id);
    expect(records).toMatchObject([
      {
        action: 'family.updated',
        actor_id: 'operator',
        changes: { 'settings.approval.allow_api': { from: false, to: true } },
      },
    ]);
  });

  test('200, and settings are merged, but lists in them are replaced', async () => {
    await patch({
      settings: { notifications: { on_finding: { emails: ['a@example.com', 'b@example.com'] } } },
    });
    const { body } = await patch({
      settings: {
        notifications: { on_finding: { emails: ['c@example.com'] }, on_overdue: { user_ids: [ana.adminId] } },
        correction_mode: 'locked',
      },
    });
    expect(body.settings).toEqual({
      ...family.settings,
      notifications: {
        on_completed: { user_ids: [], emails: [] },
        on_finding: { user_ids: [], emails: ['c@example.com'] },
        on_overdue: { user_ids: [ana.adminId], emails: [] },
      },
      correction_mode: 'locked',
    });
  });

  test('200 for parallel changes of different fields, and none of them is lost', async () => {
    const changes = [
      { name: 'Tower crane' },
      { description: 'Weekly' },
      { tags: ['Daily'] },
      { requires_approval: true },
      { settings: { correction_mode: 'locked' } },
      { settings: { sign_off: { signatures_required: 2 } } },
    ];
    const answers = await Promise.all(changes.map((body) => patch(body)));
    expect(statusCounts(answers)).toEqual({ 200: changes.length });
    expect((await patch({})).body).toMatchObject({
      name: 'Tower crane',
      description: 'Weekly',
      tags: ['Daily'],
      requires_approval: true,
      settings: { correction_mode: 'locked', sign_off: { signatures_required: 2 } },
      version: 1 + changes.length,
    });
  });

  test('200 in parallel with a publish, and neither change is lost', async () => {
    const [published, renamed] = await Promise.all([
      ana.try.versions.publishTemplate({ params: { template_id: family.draft_version_id! } }),
      patch({ name: 'Tower crane' }),
    ]);
    expect([published.status, renamed.status]).toEqual([200, 200]);
    expect((await patch({})).body).toMatchObject({
      name: 'Tower crane',
      status: 'published',
      current_version_id: family.draft_version_id,
      draft_version_id: null,
    });
  });

  test('200 in three database calls, or four if the settings name members', async () => {
    const plain = await recording(() => patch({ name: 'Tower crane' }));
    expect(plain.sent.tableCalls - plain.sent.stamps).toBe(2);
    const naming = await recording(() => patch({ settings: { approval: { approver_ids: [ana.adminId] } } }));
    expect(naming.result.status).toBe(200);
    expect(naming.sent.tableCalls - naming.sent.stamps).toBe(3);
  });

  test('400 for a member of another organization or a layout of another family, and nothing changes', async () => {
    const bo = await newPerson('Bo');
    const approval = { approver_ids: [ana.adminId, bo.adminId] };
    expect(await patch({ name: 'X', settings: { approval } })).toMatchObject({
      status: 400,
      body: { detail: errors.referenceNotFound('settings.approval.approver_ids').detail },
    });
    expect((await patch({ settings: { default_layout_id: uuid(9) } })).status).toBe(400);
    expect((await patch({})).body).toEqual(family);
  });

  test('404 for a family of another organization, and for one that does not exist', async () => {
    const bo = await newPerson('Bo');
    const refused = (key: string, id: string) =>
      as(key).try.families.update({ params: { family_id: id }, body: { name: 'Mine now' } });
    expect(await refused(bo.key, family.id)).toMatchObject({
      status: 404,
      body: (await refused(ana.key, uuid(404))).body,
    });
    expect((await patch({})).body).toEqual(family);
  });

  test('409 if expected_version or If-Match names another version', async () => {
    await patch({ name: 'Tower crane', expected_version: 1 });
    expect((await patch({ name: 'X', expected_version: 1 })).status).toBe(409);
    expect((await patch({ name: 'X' }, { 'If-Match': '"1"' })).status).toBe(409);
    expect((await patch({ name: 'X' }, { 'If-Match': '"2"' })).status).toBe(200);
  });

  test('422 for corrections that are approved without approval of the inspections, whichever field asks for it', async () => {
    const reapprove = { settings: { correction_mode: 'reapprove' } };
    const refused = await patch(reapprove);
    expect([refused.status, locs(refused)]).toEqual([422, ['body.settings.correction_mode']]);
    expect((await patch({ ...reapprove, requires_approval: true })).status).toBe(200);
    const withdrawn = await patch({ requires_approval: false });
    expect([withdrawn.status, locs(withdrawn)]).toEqual([422, ['body.requires_approval']]);
    expect((await patch({ requires_approval: false, settings: { correction_mode: 'tracked' } })).status).toBe(
      200,
    );
  });

  test.each<[object, string[]]>([
    [{ name: '' }, ['body.name']],
    [{ name: ' \t' }, ['body.name']],
    [{ name: null }, ['body.name']],
    [{ archived_at: null, current_version_id: uuid(1) }, ['body.archived_at', 'body.current_version_id']],
    [{ settings: { notifications: null } }, ['body.settings.notifications']],
    [{ settings: { approval: { approver_ids: ['ana'] } } }, ['body.settings.approval.approver_ids.0']],
    [
      { settings: { notifications: { on_overdue: { emails: ['ana'] } } } },
      ['body.settings.notifications.on_overdue.emails.0'],
    ],
    [{ tags: ['a', 'B', 'b', 'A'] }, ['body.tags.2', 'body.tags.3']],
  ])('422 for %j', async (body, expected) => {
    const answer = await patch(body);
    expect([answer.status, locs(answer)]).toEqual([422, expected]);
  });
});
