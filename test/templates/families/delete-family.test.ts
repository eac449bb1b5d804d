import * as deleteFamily from '../../../functions/templates/families/delete-family.ts';
import * as getReportLayout from '../../../functions/templates/report-layouts/get-report-layout.ts';
import * as listReportLayouts from '../../../functions/templates/report-layouts/list-report-layouts.ts';
import * as getTemplateSnapshot from '../../../functions/templates/versions/get-template-snapshot.ts';
import * as listTemplateVersions from '../../../functions/templates/versions/list-template-versions.ts';
import * as openDraft from '../../../functions/templates/versions/open-draft.ts';
import { handler } from '../../../functions/workers/delete-remains.ts';
import * as errors from '../../../shared/base/errors.ts';
import { Content } from '../../../shared/schemas/templates/content.ts';
import { change } from '../../../shared/table/change.ts';
import { keys } from '../../../shared/table/keys.ts';
import { encodeContent } from '../../../shared/templates/content.ts';
import { newDraft } from '../../../shared/templates/version-records.ts';
import { deleteRemains } from '../../../shared/upkeep/remains.ts';
import { newInspection, sortKeys } from '../../inspections/fixtures.ts';
import { as, statusCounts } from '../../support/call.ts';
import { deliver, waitingTasks } from '../../support/outbox.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { draftedFamily, familyOfVersions, newLayout, newPicture, publishedFamily } from '../fixtures.ts';

describe('DELETE /templates/families/{family_id}', () => {
  let ana: Person;
  beforeEach(async () => {
    ana = await newPerson('Ana');
  });
  const remove = (id: string, headers: Record<string, string> = {}) =>
    ana.try.families.delete({ params: { family_id: id }, headers });
  const versionsOf = async ({ id }: { id: string }): Promise<string[]> =>
    (await ana.versions.listTemplate({ params: { family_id: id } })).map(
      (version: { id: string }) => version.id,
    );
  const below = ({ id }: { id: string }) => sortKeys(ana, keys.below(ana.caller, 'FAMILY', id));
  const contentRows = async (ids: string[]): Promise<string[]> =>
    (await Promise.all(ids.map((id) => sortKeys(ana, keys.below(ana.caller, 'TEMPLATE', id))))).flat();
  const tasks = async () => (await waitingTasks(ana.caller)).filter(({ outbox }) => outbox === 'cleanup');
  const statusesOf = async (ids: string[]) =>
    statusCounts(
      await Promise.all(ids.map((id) => ana.try.versions.getTemplate({ params: { template_id: id } }))),
    );

  /** Adds more versions than a test could publish one by one. */
  const addVersions = async (familyId: string, count: number): Promise<string[]> => {
    const encoded = encodeContent(Content.parse({}));
    const ids: string[] = [];
    while (ids.length < count) {
      const fields = { version_number: ids.length + 2, name: 'Old', description: null, based_on_id: null };
      const id = await change(ana.caller, (work) => {
        const { draft, writes } = newDraft(work, { ...fields, family_id: familyId }, encoded);
        return { writes, reply: draft.id };
      });
      ids.push(id);
    }
    return ids;
  };

  test('204, and nothing that belonged to the family can be reached by any id', async () => {
    const family = await familyOfVersions(ana.key, 3);
    const logo = await newPicture(ana.key);
    const { id: layout_id } = await newLayout(ana.key, family.id, { is_default: true, theme: { logo } });
    const versions = await versionsOf(family);
    const stays = await publishedFamily(ana.key);

    expect(await remove(family.id)).toMatchObject({ status: 204, text: '' });
    const params = { family_id: family.id };
    const about = [
      [listTemplateVersions, params],
      [listReportLayouts, params],
      [getReportLayout, { ...params, layout_id }],
      [openDraft, params],
      [deleteFamily, params],
      ...versions.map((template_id) => [getTemplateSnapshot, { template_id }] as const),
    ] as const;
    for (const [endpoint, of] of about) {
      expect((await as(ana).call(endpoint, { params: of })).status).toBe(404);
    }
    expect((await ana.try.families.update({ params, body: {} })).status).toBe(404);
    expect(await statusesOf(versions)).toEqual({ 404: 3 });
    const refused = await ana.try.inspections.create({ body: { template_family_id: family.id } });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      errors.referenceNotFound('template_family_id').detail,
    ]);
    expect([await below(family), await contentRows(versions), await tasks()]).toEqual([[], [], []]);
    const document = await ana.documents.get({ params: { document_id: logo } });
    expect(document.used_by_count).toBe(0);
    const left = await ana.families.list();
    expect(left.map(({ id }: { id: string }) => id)).toEqual([stays.id]);
    expect((await statusesOf(await versionsOf(stays)))['200']).toBe(1);
  });

  test('204 for more rows than one transaction holds: a worker deletes the rest', async () => {
    const family = await draftedFamily(ana.key);
    const logo = await newPicture(ana.key);
    await newLayout(ana.key, family.id, { theme: { logo } });
    const versions = [family.draft_version_id!, ...(await addVersions(family.id, 64))];
    expect((await remove(family.id)).status).toBe(204);
    expect(await statusesOf(versions)).toEqual({ 404: 60, 200: 5 });

    const [task, ...others] = await tasks();
    expect([task!.data, others]).toEqual([{ template_family_id: family.id }, []]);
    await deleteRemains(ana.caller, task!.data, Date.now() - 1);
    expect((await below(family)).length).toBeGreaterThan(0);
    expect(await statusesOf(versions)).toEqual({ 404: 65 });
    for (const each of await tasks()) expect(await deliver(handler, each)).toBe(true);
    expect([await below(family), await contentRows(versions)]).toEqual([[], []]);
    expect(await deliver(handler, task!)).toBe(true);
    const document = await ana.documents.get({ params: { document_id: logo } });
    expect(document.used_by_count).toBe(0);
  });

  test('409 while an inspection uses the family, 204 after that inspection is deleted', async () => {
    const inspection = await newInspection(ana);
    const { template_family_id } = inspection;
    const { status, body } = await remove(template_family_id);
    expect([status, body.detail]).toEqual([
      409,
      errors.stillUsed(
        'The template family has inspections, schedules or certificate kinds. Archive it instead',
      ).detail,
    ]);
    expect((await versionsOf({ id: template_family_id })).length).toBe(1);
    await ana.inspections.delete({ params: { inspection_id: inspection.id } });
    expect((await remove(template_family_id)).status).toBe(204);
  });

  test('409 for another version', async () => {
    const { id } = await draftedFamily(ana.key);
    expect((await remove(id, { 'If-Match': '"2"' })).status).toBe(409);
    expect((await remove(id, { 'If-Match': '"1"' })).status).toBe(204);
  });

  test('204 or 409 in parallel with ten new inspections, and none is left without its family', async () => {
    const { id } = await publishedFamily(ana.key);
    const [deleted, ...created] = await Promise.all([
      remove(id),
      ...Array.from({ length: 10 }, () => ana.try.inspections.create({ body: { template_family_id: id } })),
    ]);
    const wasFirst = deleted.status === 204;
    expect(statusCounts(created)).toEqual(wasFirst ? { 400: 10 } : { 201: 10 });
    expect(deleted.status).toBe(wasFirst ? 204 : 409);
  });

  test('204 in parallel with changes to its draft, name and layouts, and none of their rows remains', async () => {
    for (let round = 0; round < 3; round += 1) {
      const family = await draftedFamily(ana.key);
      const [of, template_id] = [{ family_id: family.id }, family.draft_version_id!];
      const [deleted, ...others] = await Promise.all([
        remove(family.id),
        ana.try.versions.updateTemplateContent({ params: { template_id }, body: { content: {} } }),
        ana.try.versions.publishTemplate({ params: { template_id } }),
        ana.try.families.update({ params: of, body: { name: 'Hoist' } }),
        newLayout(ana.key, family.id).then(
          () => ({ status: 201 }),
          () => ({ status: 404 }),
        ),
      ]);
      expect(deleted.status).toBe(204);
      expect(others.filter(({ status }) => status >= 500)).toEqual([]);
      expect([await below(family), await contentRows([template_id])]).toEqual([[], []]);
    }
  });
});
