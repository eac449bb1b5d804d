import * as createFamily from '../../../functions/templates/families/create-family.ts';
import * as errors from '../../../shared/base/errors.ts';
import { as, locs } from '../../support/call.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { CONTENT } from '../fixtures.ts';

describe('POST /templates/families', () => {
  let ana: Person;
  beforeAll(async () => {
    installRecorder();
    ana = await newPerson('Ana');
  });

  test('201 with every field, and a draft of the content with its defaults filled in', async () => {
    const { status, body, headers } = await ana.try.families.create({
      body: { name: ' Crane ', description: ' Daily ', tags: ['Lifting'], content: CONTENT },
    });
    expect(status).toBe(201);
    expect(headers['etag']).toMatch(/^"1-/);
    expect(createFamily.operation.response.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      name: 'Crane',
      description: 'Daily',
      tags: ['Lifting'],
      requires_approval: false,
      requires_sign_off: false,
      status: 'draft',
      current_version_id: null,
      archived_at: null,
      created_by: ana.caller.user_id,
      settings: {
        notifications: {
          on_completed: { user_ids: [], emails: [] },
          on_finding: { user_ids: [], emails: [] },
          on_overdue: { user_ids: [], emails: [] },
        },
        approval: { approver_ids: [], allow_api: false, four_eyes: true, signed_in_only: false },
        sign_off: { signatures_required: 1 },
        correction_mode: 'tracked',
        default_layout_id: null,
      },
    });
    const draft = await ana.versions.getTemplate({ params: { template_id: body.draft_version_id } });
    expect(draft).toMatchObject({
      family_id: body.id,
      version_number: 1,
      status: 'draft',
      name: 'Crane',
      description: 'Daily',
      content_version: 1,
      based_on_id: null,
      content: {
        schema_version: 1,
        scoring: { enabled: false },
        sections: [{ fields: [{ weight: 1 }, {}] }],
      },
    });
  });

  test('201 with an empty draft if no content is given', async () => {
    const family = await ana.families.create({ body: { name: 'Empty' } });
    const draft = await ana.versions.getTemplate({ params: { template_id: family.draft_version_id } });
    expect(draft.content.sections).toEqual([]);
  });

  test('403 for a key that lets keys approve, and 201 for a key that does not', async () => {
    const create = (allow_api: boolean) =>
      ana.try.families.create({ body: { name: 'Lift', settings: { approval: { allow_api } } } });
    expect(await create(true)).toMatchObject({
      status: 403,
      body: { detail: errors.settingNotForKeys('settings.approval.allow_api').detail },
    });
    expect((await create(false)).status).toBe(201);
  });

  test('201 in two database calls, or three if the settings name members', async () => {
    const plain = await recording(() => ana.try.families.create({ body: { name: 'A' } }));
    expect(plain.sent.tableCalls - plain.sent.stamps).toBe(1);
    const body = { name: 'B', settings: { approval: { approver_ids: [ana.adminId] } } };
    const naming = await recording(() => ana.try.families.create({ body }));
    expect(naming.result.body.settings.approval.approver_ids).toEqual([ana.adminId]);
    expect(naming.sent.tableCalls - naming.sent.stamps).toBe(2);
  });

  test('201 for a repeated idempotency key, with the first reply and no second family', async () => {
    const request = { body: { name: 'Once' }, headers: { 'Idempotency-Key': 'family-1' } };
    const [first, second] = [await ana.try.families.create(request), await ana.try.families.create(request)];
    expect(second).toMatchObject({
      status: 201,
      body: first.body,
      headers: { 'idempotent-replayed': 'true' },
    });
    const all = await ana.families.list();
    expect(all.filter(({ name }: { name: string }) => name === 'Once')).toHaveLength(1);
  });

  test('400 for a member or a layout that the organization does not have', async () => {
    const bo = await newPerson('Bo');
    const refused = (settings: object) => ana.try.families.create({ body: { name: 'X', settings } });
    expect(
      await refused({ notifications: { on_finding: { user_ids: [ana.adminId, bo.adminId] } } }),
    ).toMatchObject({
      status: 400,
      body: { detail: errors.referenceNotFound('settings.notifications.on_finding.user_ids').detail },
    });
    expect(await refused({ approval: { approver_ids: [uuid(1)] } })).toMatchObject({
      status: 400,
      body: { detail: errors.referenceNotFound('settings.approval.approver_ids').detail },
    });
    expect(await refused({ default_layout_id: uuid(1) })).toMatchObject({
      status: 400,
      body: { detail: errors.referenceNotFound('settings.default_layout_id').detail },
    });
  });

  test('403 for a read-only key', async () => {
    expect((await as(ana.readOnlyKey).try.families.create({ body: { name: 'X' } })).status).toBe(403);
  });

  test.each<[string, object, string[]]>([
    ['no name', {}, ['body.name']],
    ['a blank name', { name: '  ' }, ['body.name']],
    ['an unknown field', { name: 'X', status: 'published' }, ['body.status']],
    ['two tags that differ only in case', { name: 'X', tags: ['Fire', ' fire'] }, ['body.tags.1']],
    ['a tag of 51 characters', { name: 'X', tags: ['t'.repeat(51)] }, ['body.tags.0']],
    ['51 tags', { name: 'X', tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, ['body.tags']],
    [
      'unknown settings of notifications and of approval',
      { name: 'X', settings: { notifications: { on_tuesday: {} }, approval: { allow: true } } },
      ['body.settings.approval.allow', 'body.settings.notifications.on_tuesday'],
    ],
    [
      'an unknown correction mode',
      { name: 'X', settings: { correction_mode: 'open' } },
      ['body.settings.correction_mode'],
    ],
    [
      'corrections that are approved without approval of the inspections',
      { name: 'X', settings: { correction_mode: 'reapprove' } },
      ['body.settings.correction_mode'],
    ],
    [
      'a content with an unknown type of field',
      { name: 'X', content: contentWith(field(2, 'tekst')) },
      ['body.content.sections.0.fields.0.type'],
    ],
    [
      'a content with the same id twice',
      { name: 'X', content: contentWith(field(2), field(2)) },
      ['body.content.sections.0.fields.1.id'],
    ],
  ])('422 for %s', async (_, body, expected) => {
    const answer = await ana.try.families.create({ body });
    expect([answer.status, locs(answer).toSorted()]).toEqual([422, expected]);
  });
});
