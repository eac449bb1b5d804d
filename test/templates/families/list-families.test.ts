import { setImmediate as turn } from 'node:timers/promises';
import * as listFamilies from '../../../functions/templates/families/list-families.ts';
import { as } from '../../support/call.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { installRecorder, recording } from '../../support/recorder.ts';
import { draftedFamily, publishedFamily } from '../fixtures.ts';

describe('GET /templates/families', () => {
  let ana: Person;
  let bo: Person;
  let ids: Record<'draft' | 'published' | 'archived' | 'archivedDraft', string>;

  const archive = (id: string) => ana.families.archive({ params: { family_id: id } });

  const listed = async (query: Record<string, string | boolean | string[]> = {}): Promise<string[]> =>
    (await as(ana.readOnlyKey).families.list({ query })).map(({ id }: { id: string }) => id);

  beforeAll(async () => {
    installRecorder();
    [ana, bo] = [await newPerson('Ana'), await newPerson('Bo')];
    await draftedFamily(bo.key, { name: 'of Bo', tags: ['Fire'] });
    const draft = await draftedFamily(ana.key, { tags: ['Fire'] });
    const published = await publishedFamily(ana.key, { tags: ['Lifting', 'Daily'] });
    const archived = await publishedFamily(ana.key, { tags: ['fire'] });
    const archivedDraft = await draftedFamily(ana.key);
    await archive(archived.id);
    await archive(archivedDraft.id);
    ids = {
      draft: draft.id,
      published: published.id,
      archived: archived.id,
      archivedDraft: archivedDraft.id,
    };
  });

  test('200 with the families whose name has a part, whatever its case', async () => {
    const { id } = await draftedFamily(ana.key, { name: 'Élevator daily' });
    expect(await listed({ q: 'ÉLEVATOR' })).toEqual([id]);
    expect(await listed({ q: 'daily', limit: '1' })).toEqual([id]);
    expect(await listed({ q: 'no such name' })).toEqual([]);
    await ana.families.delete({ params: { family_id: id } });
  });

  test('200 with all families of the organization that are not archived, in creation order', async () => {
    const { status, body } = await ana.try.families.list();
    expect(status).toBe(200);
    expect(listFamilies.operation.response.parse(body)).toEqual(body);
    expect(body.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [ids.draft, 'draft'],
      [ids.published, 'published'],
    ]);
    expect(await listed({ archived: false, initiable: false })).toEqual([ids.draft, ids.published]);
  });

  test('200 with only the archived families, whatever their status was before', async () => {
    const { body } = await ana.try.families.list({ query: { archived: true } });
    expect(body.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      [ids.archived, 'archived'],
      [ids.archivedDraft, 'archived'],
    ]);
  });

  test('200 with only the families that an inspection can be created from', async () => {
    expect(await listed({ initiable: true })).toEqual([ids.published]);
    expect(await listed({ initiable: true, archived: true })).toEqual([]);
  });

  test('200 with the families that have one of the tags, in any case', async () => {
    expect(await listed({ tag: 'FIRE' })).toEqual([ids.draft]);
    expect(await listed({ tag: ['fire', 'daily'] })).toEqual([ids.draft, ids.published]);
    expect(await listed({ tag: 'fir' })).toEqual([]);
  });

  test('200 with the families that changed since a time', async () => {
    const since = new Date(Date.now() + 1).toISOString();
    while (new Date().toISOString() <= since) await turn();
    expect(await listed({ updated_since: since })).toEqual([]);
    await ana.families.update({
      params: { family_id: ids.draft },
      body: { requires_approval: true },
    });
    expect(await listed({ updated_since: since })).toEqual([ids.draft]);
  });

  test('200 page by page, even if a filter leaves rows out', async () => {
    const cleo = await newPerson('Cleo');
    const tagged: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      const { id } = await cleo.families.create({
        body: { name: `F${n}`, tags: n % 2 ? [] : ['even'] },
      });
      if (n % 2 === 0) tagged.push(id);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { tag: 'even', limit: 3, ...(cursor && { cursor }) };
      const { status, body, headers } = await cleo.try.families.list({ query });
      expect(status).toBe(200);
      seen.push(...body.map(({ id }: { id: string }) => id));
      cursor = /[?&]cursor=([^&>]+)/.exec(headers['link'] ?? '')?.[1];
    } while (cursor);
    expect(seen).toEqual(tagged);
  });

  test('200 in two database calls, one of them for the key', async () => {
    const { sent } = await recording(() => ana.try.families.list({ query: { tag: 'fire' } }));
    expect(sent.tableCalls - sent.stamps).toBe(1);
  });

  test('422 for a cursor of another organization or of other filters', async () => {
    const { headers } = await ana.try.families.list({ query: { limit: 1 } });
    const cursor = /cursor=([^&>]+)/.exec(headers['link']!)![1]!;
    expect((await ana.try.families.list({ query: { limit: 2, cursor } })).status).toBe(200);
    expect((await bo.try.families.list({ query: { limit: 1, cursor } })).status).toBe(422);
    expect((await ana.try.families.list({ query: { limit: 1, cursor, tag: 'fire' } })).status).toBe(422);
  });

  test.each([{ limit: 0 }, { limit: 201 }, { archived: 'maybe' }, { tag: ' ' }, { status: 'draft' }])(
    '422 for %j',
    async (query) => {
      const { status, body } = await ana.try.families.list({ query });
      expect([status, body.detail[0].loc]).toEqual([
        422,
        expect.arrayContaining(['query', Object.keys(query)[0]]),
      ]);
    },
  );
});
