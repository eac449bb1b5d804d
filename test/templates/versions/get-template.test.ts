import * as getTemplate from '../../../functions/templates/versions/get-template.ts';
import { as } from '../../support/call.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { draftedFamily, publishedFamily } from '../fixtures.ts';

describe('GET /templates/{template_id}', () => {
  let ana: Person;
  beforeAll(async () => {
    installRecorder();
    ana = await newPerson('Ana');
  });
  const get = (template_id: string, key = ana.readOnlyKey) =>
    as(key).try.versions.getTemplate({ params: { template_id } });

  test('200 with the version and its content', async () => {
    const family = await publishedFamily(ana.key);
    const { status, body } = await get(family.template_id);
    expect(status).toBe(200);
    expect(getTemplate.operation.response.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      id: family.template_id,
      family_id: family.id,
      status: 'published',
      published_by: ana.caller.user_id,
      content: { sections: [{ title: 'Section 1' }] },
    });
  });

  test('200 in three database calls, or two once the content is cached', async () => {
    const { template_id } = await publishedFamily(ana.key);
    const cold = await recording(() => get(template_id));
    expect(cold.sent.tableCalls - cold.sent.stamps).toBe(2);
    const warm = await recording(() => get(template_id));
    expect(warm.sent.tableCalls - warm.sent.stamps).toBe(1);
    expect(warm.result.body).toEqual(cold.result.body);
  });

  test('200 with the content saved last, even if an earlier one is cached', async () => {
    const { draft_version_id } = await draftedFamily(ana.key);
    const params = { template_id: draft_version_id! };
    await get(draft_version_id!);
    const content = contentWith(field(9));
    const saved = await ana.versions.updateTemplateContent({ params, body: { content } });
    expect((await get(draft_version_id!)).body).toEqual(saved);
  });

  test('200 with a content and its own hash, even while the draft is being saved', async () => {
    const { draft_version_id } = await draftedFamily(ana.key);
    const params = { template_id: draft_version_id! };
    const saved = new Map<string, string>();
    const save = async (n: number) => {
      const content = contentWith(field(n));
      const { body } = await ana.try.versions.updateTemplateContent({ params, body: { content } });
      saved.set(body.content_hash, body.content.sections[0].fields[0].id);
    };
    const reads: { content_hash: string; id: string }[] = [];
    const read = async () => {
      const { status, body } = await get(draft_version_id!);
      expect(status).toBe(200);
      reads.push({ content_hash: body.content_hash, id: body.content.sections[0].fields[0].id });
    };
    await Promise.all(Array.from({ length: 8 }, (_, n) => [save(n + 10), read(), read()]).flat());
    for (const { content_hash, id } of reads)
      if (saved.has(content_hash)) expect(saved.get(content_hash)).toBe(id);
  });

  test('404 for a version of another organization or one that does not exist, even if the content is cached', async () => {
    const { template_id } = await publishedFamily(ana.key);
    await get(template_id);
    const bo = await newPerson('Bo');
    expect(await get(template_id, bo.key)).toMatchObject({ status: 404, body: (await get(uuid(404))).body });
  });

  test('422 for a malformed id', async () => {
    expect((await get('ai-generate')).status).toBe(422);
  });
});
