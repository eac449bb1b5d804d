import * as getTemplateSnapshot from '../../../functions/templates/versions/get-template-snapshot.ts';
import { Stale } from '../../../shared/table/retry.ts';
import { contentOf } from '../../../shared/templates/content.ts';
import * as templates from '../../../shared/templates/versions.ts';
import { as } from '../../support/call.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { draftedFamily, publish, publishedFamily } from '../fixtures.ts';

beforeAll(installRecorder);

describe('GET /templates/{template_id}/snapshot', () => {
  let ana: Person;
  beforeAll(async () => {
    ana = await newPerson('Ana');
  });
  const snapshot = (template_id: string, key = ana.readOnlyKey) =>
    as(key).try.versions.getTemplateSnapshot({ params: { template_id } });

  test('200 with the content and its hash, which stay the same when the next version is published', async () => {
    const { id: family_id, template_id } = await publishedFamily(ana.key);
    const { status, body } = await snapshot(template_id);
    const { content, content_hash } = await ana.versions.getTemplate({ params: { template_id } });
    expect([status, body]).toEqual([200, { template_id, content, content_hash }]);
    expect(getTemplateSnapshot.operation.response.parse(body)).toEqual(body);

    const draft = await ana.versions.openDraft({ params: { family_id } });
    const next = { content: contentWith(field(2), field(5)) };
    await ana.versions.updateTemplateContent({ params: { template_id: draft.id }, body: next });
    await publish(ana.key, draft.id);
    expect((await snapshot(template_id)).body).toEqual(body);
    expect((await snapshot(draft.id)).body.content_hash).not.toBe(content_hash);
  });

  test('200 in three database calls, or two once the content is cached', async () => {
    const { template_id } = await publishedFamily(ana.key);
    const [cold, warm] = [
      await recording(() => snapshot(template_id)),
      await recording(() => snapshot(template_id)),
    ];
    expect(cold.sent.tableCalls - cold.sent.stamps).toBeLessThanOrEqual(2);
    expect(warm.sent.tableCalls - warm.sent.stamps).toBe(1);
  });

  test('404 for a version of another organization, and for one that does not exist', async () => {
    const { template_id } = await publishedFamily(ana.key);
    const bo = await newPerson('Bo');
    expect(await snapshot(template_id, bo.key)).toMatchObject({
      status: 404,
      body: (await snapshot(uuid(404))).body,
    });
  });

  test('409 for a draft', async () => {
    const { draft_version_id } = await draftedFamily(ana.key);
    expect((await snapshot(draft_version_id!)).status).toBe(409);
  });
});

describe('contentOf', () => {
  test('gives the index of a cached content without a database call, only to its own organization', async () => {
    const [ana, bo] = [await newPerson('Ana'), await newPerson('Bo')];
    const { template_id } = await publishedFamily(ana.key);
    const { content_hash } = await templates.snapshot(ana.caller, template_id);
    const { result, sent } = await recording(() => contentOf(ana.caller, template_id, content_hash));
    expect(result.fields.get(uuid(2))!.field.label).toBe('Field 2');
    expect(sent.tableCalls).toBe(0);
    await expect(contentOf(bo.caller, template_id, content_hash)).rejects.toThrow(Stale);
  });
});
