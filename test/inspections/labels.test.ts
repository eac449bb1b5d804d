import type { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { checkOrganization } from '../../shared/upkeep/consistency/check.ts';
import { newPerson, type Person } from '../support/people.ts';
import { completedInspection, newInspection } from './fixtures.ts';

let person: Person;

beforeAll(async () => {
  person = await newPerson('Labels');
});

const of = ({ id }: { id: string }) => ({ params: { inspection_id: id } });
const ids = async (query: Record<string, string | number | readonly string[]>): Promise<string[]> =>
  (await person.inspections.list({ query })).map(({ id }: Inspection) => id);

describe('tags and metadata of inspections', () => {
  test('find them newest first, page by page, and together with other filters', async () => {
    const { template_family_id, id } = await newInspection(person, { tags: ['Acceptance', 'lift'] });
    const later = await newInspection(person, {
      template_family_id,
      tags: ['acceptance'],
      metadata: { contract: 'C-7' },
    });
    const last = await newInspection(person, { template_family_id, tags: ['lift'] });
    expect(await ids({ tag: 'ACCEPTANCE' })).toEqual([later.id, id]);
    expect(await ids({ tag: ['acceptance', 'lift'] })).toEqual([last.id, later.id, id]);
    expect(await ids({ tag: 'acceptance', 'metadata.contract': 'C-7' })).toEqual([later.id]);
    expect(await ids({ tag: 'acceptance', status: ['completed'] })).toEqual([]);
    const { headers } = await person.try.inspections.list({ query: { tag: 'acceptance', limit: 1 } });
    const cursor = /cursor=([^&>]+)/.exec(headers['link']!)![1]!;
    expect(await ids({ tag: 'acceptance', limit: 1, cursor: decodeURIComponent(cursor) })).toEqual([id]);
    const summary = await person.inspections.summarize({ query: { tag: 'lift' } });
    expect(summary).toMatchObject({ scheduled: 2, total: 2 });
  });

  test('change at any time, and a copy takes them', async () => {
    const completed = await completedInspection(person, { metadata: { contract: 'C-8', lot: '1' } });
    const body = { tags: ['paid'], metadata: { lot: null } };
    const changed = await person.inspections.update({ ...of(completed), body });
    expect(changed).toMatchObject({ status: 'completed', tags: ['paid'], metadata: { contract: 'C-8' } });
    expect(await ids({ tag: 'paid' })).toEqual([completed.id]);
    expect(await ids({ 'metadata.lot': '1' })).toEqual([]);
    const copy = await person.inspections.duplicate(of(completed));
    expect(copy).toMatchObject({ tags: ['paid'], metadata: { contract: 'C-8' } });
    await person.inspections.delete(of(copy));
    expect(await ids({ tag: 'paid' })).toEqual([completed.id]);
    const { differences } = await checkOrganization(person.caller, { repair: false });
    expect(differences).toEqual([]);
  });
});
