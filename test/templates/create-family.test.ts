import * as createFamily from '../../functions/templates/create-family.ts';
import * as getTemplate from '../../functions/templates/get-template.ts';
import * as listFamilies from '../../functions/templates/list-families.ts';
import { call, made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { installRecorder, recording } from '../support/recorder.ts';
import { CONTENT, contentWith, field, locs, uuid } from './fixtures.ts';

describe('POST /templates/families', () => {
  let ana: Person;
  beforeAll(async () => {
    installRecorder();
    ana = await newPerson('Ana');
  });

  test('201 with every field, and a draft that holds the content with its defaults', async () => {
    const { status, body, headers } = await call(createFamily, {
      as: ana.key,
      body: { name: ' Crane ', description: ' Daily ', tags: ['Lifting'], content: CONTENT },
    });
    expect(status).toBe(201);
    expect(headers['etag']).toBe('"1"');
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
        approval: { approver_ids: [], allow_api: false },
        sign_off: { signatures_required: 1 },
        correction_mode: 'tracked',
        default_layout_id: null,
      },
    });
    const draft = await made(getTemplate, { as: ana.key, params: { template_id: body.draft_version_id } });
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

  test('201 with an empty draft where no content is given', async () => {
    const family = await made(createFamily, { as: ana.key, body: { name: 'Empty' } });
    const draft = await made(getTemplate, { as: ana.key, params: { template_id: family.draft_version_id } });
    expect(draft.content.sections).toEqual([]);
  });

  test('201 in two calls, three where settings name members', async () => {
    const plain = await recording(() => call(createFamily, { as: ana.key, body: { name: 'A' } }));
    expect(plain.sent.tableCalls - plain.sent.stamps).toBe(1);
    const body = { name: 'B', settings: { approval: { approver_ids: [ana.adminId] } } };
    const naming = await recording(() => call(createFamily, { as: ana.key, body }));
    expect(naming.result.body.settings.approval).toEqual({ approver_ids: [ana.adminId], allow_api: false });
    expect(naming.sent.tableCalls - naming.sent.stamps).toBe(2);
  });

  test('201 once for an idempotency key, and the same reply again', async () => {
    const request = { as: ana.key, body: { name: 'Once' }, headers: { 'Idempotency-Key': 'family-1' } };
    const [first, second] = [await call(createFamily, request), await call(createFamily, request)];
    expect(second).toMatchObject({
      status: 201,
      body: first.body,
      headers: { 'idempotent-replayed': 'true' },
    });
    const all = await made(listFamilies, { as: ana.key });
    expect(all.filter(({ name }: { name: string }) => name === 'Once')).toHaveLength(1);
  });

  test('400 for a member or a layout that the organization does not have', async () => {
    const bo = await newPerson('Bo');
    const refused = (settings: object) => call(createFamily, { as: ana.key, body: { name: 'X', settings } });
    expect(
      await refused({ notifications: { on_finding: { user_ids: [ana.adminId, bo.adminId] } } }),
    ).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('settings.notifications.on_finding.user_ids') },
    });
    expect(await refused({ approval: { approver_ids: [uuid(1)] } })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('settings.approval.approver_ids') },
    });
    expect(await refused({ default_layout_id: uuid(1) })).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('settings.default_layout_id') },
    });
  });

  test('403 for a read-only key', async () => {
    expect((await call(createFamily, { as: ana.readOnlyKey, body: { name: 'X' } })).status).toBe(403);
  });

  test.each<[string, object, string[]]>([
    ['no name', {}, ['body.name']],
    ['a blank name', { name: '  ' }, ['body.name']],
    ['an unknown field', { name: 'X', status: 'published' }, ['body.status']],
    ['a tag given twice, case aside', { name: 'X', tags: ['Fire', ' fire'] }, ['body.tags.1']],
    ['51 characters of a tag', { name: 'X', tags: ['t'.repeat(51)] }, ['body.tags.0']],
    ['51 tags', { name: 'X', tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, ['body.tags']],
    [
      'settings of no occasion, and none of approval',
      { name: 'X', settings: { notifications: { on_tuesday: {} }, approval: { allow: true } } },
      ['body.settings.approval.allow', 'body.settings.notifications.on_tuesday'],
    ],
    [
      'an unknown correction mode',
      { name: 'X', settings: { correction_mode: 'open' } },
      ['body.settings.correction_mode'],
    ],
    [
      'a content of the wrong form',
      { name: 'X', content: contentWith(field(2, { type: 'tekst' })) },
      ['body.content.sections.0.fields.0.type'],
    ],
    [
      'a content with an id given twice',
      { name: 'X', content: contentWith(field(2), field(2)) },
      ['body.content.sections.0.fields.1.id'],
    ],
  ])('422 for %s', async (_, body, expected) => {
    const answer = await call(createFamily, { as: ana.key, body });
    expect([answer.status, locs(answer).toSorted()]).toEqual([422, expected]);
  });
});
