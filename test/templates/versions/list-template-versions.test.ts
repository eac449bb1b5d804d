import * as listTemplateVersions from '../../../functions/templates/versions/list-template-versions.ts';
import { as } from '../../support/call.ts';
import { uuid } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { draftedFamily, publish, publishedFamily } from '../fixtures.ts';

describe('GET /templates/families/{family_id}/versions', () => {
  let ana: Person;
  let family_id: string;
  let published: string[];
  beforeAll(async () => {
    installRecorder();
    ana = await newPerson('Ana');
    const family = await publishedFamily(ana.key);
    await publishedFamily(ana.key, { name: 'Another' });
    family_id = family.id;
    published = [family.template_id];
    for (let n = 0; n < 2; n += 1) {
      const { id } = await ana.versions.openDraft({ params: { family_id } });
      await publish(ana.key, id);
      published.push(id);
    }
    const draft = await ana.versions.openDraft({ params: { family_id } });
    published.push(draft.id);
  });
  const list = (query: Record<string, string | number> = {}, id = family_id, key = ana.readOnlyKey) =>
    as(key).try.versions.listTemplate({ params: { family_id: id }, query });

  test('200 with every version in the order of their numbers, without their contents', async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(listTemplateVersions.operation.response.parse(body)).toEqual(body);
    expect(body).toMatchObject([
      { id: published[0], version_number: 1, status: 'superseded', based_on_id: null },
      { id: published[1], version_number: 2, status: 'superseded', based_on_id: published[0] },
      { id: published[2], version_number: 3, status: 'published', based_on_id: published[1] },
      { id: published[3], version_number: 4, status: 'draft', based_on_id: published[2], published_at: null },
    ]);
  });

  test('200 page by page', async () => {
    const first = await list({ limit: 3 });
    expect(first.body.map(({ id }: { id: string }) => id)).toEqual(published.slice(0, 3));
    const cursor = /cursor=([^&>]+)/.exec(first.headers['link']!)![1]!;
    const second = await list({ limit: 3, cursor });
    expect(second.body.map(({ id }: { id: string }) => id)).toEqual(published.slice(3));
    expect(second.headers).not.toHaveProperty('link');
    const other = await draftedFamily(ana.key);
    expect((await list({ limit: 3, cursor }, other.id)).status).toBe(422);
  });

  test('200 with the versions that changed since a time', async () => {
    const { body } = await list();
    const newest = body
      .map(({ updated_at }: { updated_at: string }) => updated_at)
      .toSorted()
      .at(-1);
    expect((await list({ updated_since: newest })).body.map(({ id }: { id: string }) => id)).toContain(
      published[3],
    );
    expect((await list({ updated_since: '2999-01-01T00:00:00Z' })).body).toEqual([]);
  });

  test('200 in three database calls', async () => {
    const { sent } = await recording(() => list());
    expect(sent.tableCalls - sent.stamps).toBe(2);
  });

  test('404 for a family of another organization, and for one that does not exist', async () => {
    const bo = await newPerson('Bo');
    expect(await list({}, family_id, bo.key)).toMatchObject({
      status: 404,
      body: (await list({}, uuid(404))).body,
    });
    expect((await list({ limit: 1 }, uuid(404))).status).toBe(404);
  });
});
