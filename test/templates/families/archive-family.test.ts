import * as errors from '../../../shared/base/errors.ts';
import type { Family } from '../../../shared/schemas/templates/family.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { draftedFamily, publishedFamily } from '../fixtures.ts';

let ana: Person;
beforeAll(async () => {
  ana = await newPerson('Ana');
});

const archive = ({ id }: { id: string }, headers: Record<string, string> = {}) =>
  ana.try.families.archive({ params: { family_id: id }, headers });
const restore = ({ id }: { id: string }, headers: Record<string, string> = {}) =>
  ana.try.families.restore({ params: { family_id: id }, headers });
const listed = async (query: Record<string, boolean>): Promise<string[]> =>
  (await ana.families.list({ query })).map(({ id }: Family) => id);

describe('POST /templates/families/{family_id}/archive', () => {
  test('200, and no inspection can be created from the family', async () => {
    const family = await publishedFamily(ana.key);
    const { status, body } = await archive(family);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ status: 'archived', archived_at: expect.any(String), version: 3 }),
    ]);
    const refused = await ana.try.inspections.create({ body: { template_family_id: family.id } });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      errors.familyStatus('archived', 'published').detail,
    ]);
    expect(await listed({ archived: true })).toContain(family.id);
    expect(await listed({})).not.toContain(family.id);
    expect(await listed({ initiable: true })).not.toContain(family.id);
  });

  test('409 for a family that is archived already, and for another version', async () => {
    const family = await draftedFamily(ana.key);
    expect((await archive(family, { 'If-Match': '"2"' })).status).toBe(409);
    await archive(family);
    const { status, body } = await archive(family);
    expect([status, body.detail]).toEqual([409, errors.familyStatus('archived').detail]);
  });
});

describe('POST /templates/families/{family_id}/restore', () => {
  test.each([
    ['published', publishedFamily],
    ['draft', draftedFamily],
  ] as const)('200, and the family is %s as before', async (status, make) => {
    const family = await make(ana.key);
    await archive(family);
    const restored = await restore(family);
    expect([restored.status, restored.body]).toEqual([
      200,
      expect.objectContaining({ id: family.id, status, archived_at: null }),
    ]);
    expect(await listed({})).toContain(family.id);
  });

  test('409 for a family that is not archived, and for another version', async () => {
    const family = await publishedFamily(ana.key);
    const { status, body } = await restore(family);
    expect([status, body.detail]).toEqual([409, errors.familyStatus('published', 'archived').detail]);
    await archive(family);
    expect((await restore(family, { 'If-Match': '"1"' })).status).toBe(409);
  });
});
