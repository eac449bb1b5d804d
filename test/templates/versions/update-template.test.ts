import * as updateTemplate from '../../../functions/templates/versions/update-template.ts';
import * as errors from '../../../shared/base/errors.ts';
import { as, locs, statusCounts } from '../../support/call.ts';
import { uuid } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { draftedFamily, publish } from '../fixtures.ts';

describe('PATCH /templates/{template_id}', () => {
  let ana: Person;
  let template_id: string;
  beforeAll(async () => {
    installRecorder();
    ana = await newPerson('Ana');
  });
  beforeEach(async () => {
    template_id = (await draftedFamily(ana.key)).draft_version_id!;
  });
  const patch = (body: unknown, key = ana.key, headers: Record<string, string> = {}) =>
    as(key).try.versions.updateTemplate({ params: { template_id }, body, headers });
  const current = () => ana.versions.getTemplate({ params: { template_id } });

  test('200, and only the given fields change', async () => {
    const before = await current();
    const { status, body } = await patch({ change_note: ' More about guard rails ' });
    expect(status).toBe(200);
    expect(updateTemplate.operation.response.parse(body)).toEqual(body);
    expect(body).toEqual({
      ...before,
      change_note: 'More about guard rails',
      version: 2,
      updated_at: body.updated_at,
    });
    expect(await current()).toEqual(body);
    expect((await patch({ change_note: '', description: null, name: 'Crane 2' })).body).toMatchObject({
      change_note: null,
      description: null,
      name: 'Crane 2',
      content_version: 1,
    });
  });

  test('200 for an empty object, which changes nothing', async () => {
    expect(await patch({})).toMatchObject({ status: 200, body: await current() });
  });

  test('200 for parallel changes of different fields, and none of them is lost', async () => {
    const answers = await Promise.all([
      patch({ name: 'Tower crane' }),
      patch({ description: 'Weekly' }),
      patch({ change_note: 'New' }),
    ]);
    expect(statusCounts(answers)).toEqual({ 200: 3 });
    expect(await current()).toMatchObject({
      name: 'Tower crane',
      description: 'Weekly',
      change_note: 'New',
    });
  });

  test('200 in four database calls', async () => {
    const { sent } = await recording(() => patch({ name: 'Tower crane' }));
    expect(sent.tableCalls - sent.stamps).toBe(3);
  });

  test('404 for a version of another organization, and for one that does not exist', async () => {
    const bo = await newPerson('Bo');
    expect((await patch({ name: 'Mine now' }, bo.key)).status).toBe(404);
    template_id = uuid(404);
    expect((await patch({ name: 'X' })).status).toBe(404);
  });

  test('409 after the version is published', async () => {
    await publish(ana.key, template_id);
    expect(await patch({ change_note: 'Too late' })).toMatchObject({
      status: 409,
      body: { detail: errors.notADraft(1, 'published').detail },
    });
  });

  test('409 for another version', async () => {
    await patch({ name: 'Tower crane' });
    expect((await patch({ name: 'X', expected_version: 1 })).status).toBe(409);
    expect((await patch({ name: 'X' }, ana.key, { 'If-Match': '"1"' })).status).toBe(409);
    expect((await patch({ name: 'X', expected_version: 2 })).status).toBe(200);
  });

  test.each<[object, string[]]>([
    [{ name: ' ' }, ['body.name']],
    [{ content: { sections: [] } }, ['body.content']],
    [{ status: 'published', content_hash: 'x' }, ['body.status', 'body.content_hash']],
  ])('422 for %j', async (body, expected) => {
    const answer = await patch(body);
    expect([answer.status, locs(answer)]).toEqual([422, expected]);
  });
});
