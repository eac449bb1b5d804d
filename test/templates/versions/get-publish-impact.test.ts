import * as errors from '../../../shared/base/errors.ts';
import type { Inspection } from '../../../shared/schemas/inspections/inspection.ts';
import { keys } from '../../../shared/table/keys.ts';
import { advance, sortKeys, start, NOTHING_REQUIRED } from '../../inspections/fixtures.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { draftedFamily, nextDraft, publish, publishedFamily } from '../fixtures.ts';

describe('GET /templates/{template_id}/publish-impact', () => {
  let ana: Person;
  beforeAll(async () => {
    ana = await newPerson('Ana');
  });
  const impact = (id: string) => ana.try.versions.getPublishImpact({ params: { template_id: id } });
  const runningOf = async (familyId: string) =>
    (await impact((await nextDraft(ana.key, familyId)).id)).body.running_inspections;
  const inspect = (family: { id: string }, body: object = {}): Promise<Inspection> =>
    ana.inspections.create({ body: { template_family_id: family.id, ...body } });
  const edit = (id: string, ...fields: object[]) =>
    ana.versions.updateTemplateContent({
      params: { template_id: id },
      body: { content: contentWith(...fields) },
    });

  test('200 for a first draft: every field is new, and no inspection is running', async () => {
    const { draft_version_id } = await draftedFamily(ana.key);
    const { status, body } = await impact(draft_version_id!);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      template_id: draft_version_id,
      current_version_id: null,
      fields: { added: [{ field_id: uuid(2) }, { field_id: uuid(3) }], removed: [], changed: [] },
      problems: [],
      running_inspections: { total: 0, by_version: [] },
    });
  });

  test('200 with the differences from the current version, and the problems that a publish would answer with', async () => {
    const family = await publishedFamily(ana.key);
    const draft = await nextDraft(ana.key, family.id);
    await edit(draft.id, field(2, 'number', { required: true }), field(4));
    const { body } = await impact(draft.id);
    expect(body).toMatchObject({
      template_id: draft.id,
      current_version_id: family.template_id,
      fields: {
        added: [{ field_id: uuid(4), section_id: uuid(1), label: 'Field 4', type: 'text' }],
        removed: [{ field_id: uuid(3) }],
        changed: [{ field_id: uuid(2), changes: ['type'], incompatible: [{ from: 'text', to: 'number' }] }],
      },
    });
    const refused = await ana.try.versions.publishTemplate({ params: { template_id: draft.id } });
    expect(refused.status).toBe(422);
    expect(body.problems).toEqual(refused.body.detail);
  });

  test('200 with the number of running inspections of each version', async () => {
    const family = await publishedFamily(ana.key, NOTHING_REQUIRED);
    await inspect(family);
    await start(ana.key, await inspect(family));
    const second = await nextDraft(ana.key, family.id);
    await publish(ana.key, second.id);
    const third = await inspect(family);
    await inspect(await publishedFamily(ana.key));
    expect(await runningOf(family.id)).toEqual({
      total: 3,
      by_version: [
        { template_id: family.template_id, version_number: 1, count: 2 },
        { template_id: second.id, version_number: 2, count: 1 },
      ],
    });
    await ana.inspections.duplicate({ params: { inspection_id: third.id } });
    expect((await runningOf(family.id)).total).toBe(4);
  });

  test('200, and an inspection counts as running until it is completed, archived or deleted, and again after it is restored', async () => {
    const family = await publishedFamily(ana.key, { ...NOTHING_REQUIRED, requires_approval: true });
    const of = ({ id }: Inspection) => ({ params: { inspection_id: id } });
    const total = async (): Promise<number> => (await runningOf(family.id)).total;
    const [archived, deleted, submitted] = [
      await inspect(family),
      await inspect(family),
      await inspect(family),
    ];
    await start(ana.key, submitted);
    await advance(ana.key, submitted);
    expect(await total()).toBe(3);
    await ana.inspections.archive(of(archived));
    await ana.inspections.archive(of(submitted));
    await ana.inspections.delete(of(deleted));
    expect(await total()).toBe(0);
    await ana.inspections.restore(of(submitted));
    expect(await total()).toBe(1);

    const undemanding = await publishedFamily(ana.key, NOTHING_REQUIRED);
    const completed = await inspect(undemanding);
    await start(ana.key, completed);
    await advance(ana.key, completed);
    await ana.inspections.archive(of(completed));
    await ana.inspections.restore(of(completed));
    expect((await runningOf(undemanding.id)).total).toBe(0);
    const left = await sortKeys(ana, keys.below(ana.caller, 'FAMILY', undemanding.id));
    expect(left.filter((sk) => sk.startsWith('RUNNING'))).toEqual([]);
  });

  test('409 for a version that is not a draft', async () => {
    const { template_id } = await publishedFamily(ana.key);
    const { status, body } = await impact(template_id);
    expect([status, body.detail]).toEqual([409, errors.notADraft(1, 'published').detail]);
  });
});
