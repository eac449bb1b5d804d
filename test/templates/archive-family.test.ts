import * as createInspection from '../../functions/inspections/create-inspection.ts';
import * as archiveFamily from '../../functions/templates/archive-family.ts';
import * as listFamilies from '../../functions/templates/list-families.ts';
import * as restoreFamily from '../../functions/templates/restore-family.ts';
import type { Family } from '../../shared/schemas/templates/family.ts';
import { call, made } from '../support/call.ts';
import { newPerson, type Person } from '../support/people.ts';
import { draftedFamily, publishedFamily } from './fixtures.ts';

let ana: Person;
beforeAll(async () => {
  ana = await newPerson('Ana');
});

const archive = ({ id }: { id: string }, headers: Record<string, string> = {}) =>
  call(archiveFamily, { as: ana.key, params: { family_id: id }, headers });
const restore = ({ id }: { id: string }, headers: Record<string, string> = {}) =>
  call(restoreFamily, { as: ana.key, params: { family_id: id }, headers });
const listed = async (query: Record<string, boolean>): Promise<string[]> =>
  (await made(listFamilies, { as: ana.key, query })).map(({ id }: Family) => id);

describe('POST /templates/families/{family_id}/archive', () => {
  test('200 and no inspection can be made of it', async () => {
    const family = await publishedFamily(ana.key);
    const { status, body } = await archive(family);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ status: 'archived', archived_at: expect.any(String), version: 3 }),
    ]);
    const refused = await call(createInspection, { as: ana.key, body: { template_family_id: family.id } });
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'template family is archived, not published',
    ]);
    expect(await listed({ archived: true })).toContain(family.id);
    expect(await listed({})).not.toContain(family.id);
    expect(await listed({ initiable: true })).not.toContain(family.id);
  });

  test('409 when it is archived already, or of another version', async () => {
    const family = await draftedFamily(ana.key);
    expect((await archive(family, { 'If-Match': '"2"' })).status).toBe(409);
    await archive(family);
    const { status, body } = await archive(family);
    expect([status, body.detail]).toEqual([409, 'template family is archived']);
  });
});

describe('POST /templates/families/{family_id}/restore', () => {
  test.each([
    ['published', publishedFamily],
    ['draft', draftedFamily],
  ] as const)('200 and it is %s as before', async (status, make) => {
    const family = await make(ana.key);
    await archive(family);
    const restored = await restore(family);
    expect([restored.status, restored.body]).toEqual([
      200,
      expect.objectContaining({ id: family.id, status, archived_at: null }),
    ]);
    expect(await listed({})).toContain(family.id);
  });

  test('409 unless it is archived, and for another version', async () => {
    const family = await publishedFamily(ana.key);
    const { status, body } = await restore(family);
    expect([status, body.detail]).toEqual([409, 'template family is published, not archived']);
    await archive(family);
    expect((await restore(family, { 'If-Match': '"1"' })).status).toBe(409);
  });
});
