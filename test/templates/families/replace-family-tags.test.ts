import type { Family } from '../../../shared/schemas/templates/family.ts';
import { locs } from '../../support/call.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { draftedFamily } from '../fixtures.ts';

describe('PUT /templates/families/{family_id}/tags', () => {
  let ana: Person;
  let family: Family;
  beforeAll(async () => {
    ana = await newPerson('Ana');
    family = await draftedFamily(ana.key, { description: 'Daily', tags: ['Lifting', 'Daily'] });
  });
  const put = (body: unknown, headers: Record<string, string> = {}) =>
    ana.try.families.replaceTags({ params: { family_id: family.id }, body, headers });

  test('200, and the new tags replace all old ones; nothing else changes', async () => {
    const { status, body } = await put({ tags: [' Fire '] });
    expect([status, body]).toEqual([
      200,
      { ...family, tags: ['Fire'], version: 2, updated_at: expect.any(String) },
    ]);
    const found = await ana.families.list({ query: { tag: 'fire' } });
    expect(found).toEqual([body]);
    expect(await ana.families.list({ query: { tag: 'lifting' } })).toEqual([]);
    expect((await put({ tags: [] })).body.tags).toEqual([]);
  });

  test('409 for another version', async () => {
    expect((await put({ tags: [], expected_version: 1 })).status).toBe(409);
    expect((await put({ tags: [] }, { 'If-Match': '"1"' })).status).toBe(409);
  });

  test.each<[object, string[]]>([
    [{}, ['body.tags']],
    [{ tags: null }, ['body.tags']],
    [{ tags: ['a', 'A'] }, ['body.tags.1']],
    [{ tags: [' ', 'x'.repeat(51)] }, ['body.tags.0', 'body.tags.1']],
    [{ tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }, ['body.tags']],
  ])('422 for %j', async (body, expected) => {
    const answer = await put(body);
    expect([answer.status, locs(answer)]).toEqual([422, expected]);
  });
});
