import * as createTemplate from '../../../functions/templates/versions/create-template.ts';
import * as errors from '../../../shared/base/errors.ts';
import { locs, statusCounts } from '../../support/call.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { draftedFamily, publishedFamily } from '../fixtures.ts';

describe('POST /templates', () => {
  let ana: Person;
  beforeAll(async () => {
    installRecorder();
    ana = await newPerson('Ana');
  });
  const create = (body: unknown) => ana.try.versions.createTemplate({ body });

  test('201 with the draft of the next version, and the family shows its id', async () => {
    const { id, template_id } = await publishedFamily(ana.key, { name: 'Crane', description: 'Daily' });
    const content = contentWith(field(7));
    const { status, body } = await create({ family_id: id, content });
    expect(status).toBe(201);
    expect(createTemplate.operation.response.parse(body)).toEqual(body);
    expect(body).toMatchObject({
      family_id: id,
      version_number: 2,
      status: 'draft',
      name: 'Crane',
      description: 'Daily',
      based_on_id: template_id,
      content_version: 1,
      content: { sections: [{ fields: [{ id: uuid(7) }] }] },
    });
    expect(await ana.versions.getTemplate({ params: { template_id: body.id } })).toEqual(body);
    const all = await ana.families.list();
    expect(all.find((family: { id: string }) => family.id === id)).toMatchObject({
      draft_version_id: body.id,
      current_version_id: template_id,
      status: 'published',
    });
  });

  test('201 with an empty content, in three database calls', async () => {
    const { id } = await publishedFamily(ana.key);
    const { result, sent } = await recording(() => create({ family_id: id }));
    expect(result.body.content.sections).toEqual([]);
    expect(sent.tableCalls - sent.stamps).toBe(2);
  });

  test('201 for one of twenty parallel requests, 409 for the others', async () => {
    const { id } = await publishedFamily(ana.key);
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ family_id: id })));
    expect(statusCounts(answers)).toEqual({ 201: 1, 409: 19 });
    const { body } = answers.find(({ status }) => status === 201)!;
    expect(answers.find(({ status }) => status === 409)!.body.detail).toBe(
      errors.draftExists(body.id).detail,
    );
  });

  test('400 for a family of another organization, and for one that does not exist', async () => {
    const bo = await newPerson('Bo');
    const others = await publishedFamily(bo.key);
    for (const family_id of [others.id, uuid(404)]) {
      expect(await create({ family_id })).toMatchObject({
        status: 400,
        body: { detail: errors.referenceNotFound('family_id').detail },
      });
    }
  });

  test('409 while the family has a draft', async () => {
    const family = await draftedFamily(ana.key);
    expect(await create({ family_id: family.id })).toMatchObject({
      status: 409,
      body: { detail: errors.draftExists(family.draft_version_id!).detail },
    });
  });

  test('422 for a content that cannot be saved', async () => {
    const { id } = await publishedFamily(ana.key);
    const answer = await create({ family_id: id, content: contentWith(field(2), field(2)) });
    expect([answer.status, locs(answer)]).toEqual([422, ['body.content.sections.0.fields.1.id']]);
    expect(locs(await create({}))).toEqual(['body.family_id']);
  });
});
