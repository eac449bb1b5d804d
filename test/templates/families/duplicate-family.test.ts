import * as duplicateFamily from '../../../functions/templates/families/duplicate-family.ts';
import * as errors from '../../../shared/base/errors.ts';
import type { Family } from '../../../shared/schemas/templates/family.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { draftedFamily, newLayout, newPicture, nextDraft, publishedFamily } from '../fixtures.ts';

describe('POST /templates/families/{family_id}/duplicate', () => {
  let ana: Person;
  beforeAll(async () => {
    ana = await newPerson('Ana');
  });
  const duplicate = (id: string) => ana.try.families.duplicate({ params: { family_id: id } });
  const template = (id: string | null) => ana.versions.getTemplate({ params: { template_id: id! } });
  const layoutsOf = ({ id }: { id: string }) => ana.reportLayouts.list({ params: { family_id: id } });
  const edit = (id: string, ...fields: object[]) =>
    ana.versions.updateTemplateContent({
      params: { template_id: id },
      body: { content: contentWith(...fields) },
    });

  test('403 for a key when the family lets keys approve', async () => {
    const { id } = await draftedFamily(ana.key, { settings: { approval: { allow_api: true } } });
    const { status, body } = await duplicate(id);
    expect([status, body.detail]).toEqual([
      403,
      errors.settingNotForKeys('settings.approval.allow_api').detail,
    ]);
  });

  test('201 with the settings and the published content of the family, and nothing of its history', async () => {
    const family = await publishedFamily(ana.key, {
      description: 'Daily',
      tags: ['Lifting'],
      requires_approval: true,
      settings: { sign_off: { signatures_required: 2 }, approval: { approver_ids: [ana.adminId] } },
    });
    const next = await nextDraft(ana.key, family.id);
    await edit(next.id, field(9));
    await ana.families.archive({ params: { family_id: family.id } });

    const { status, body } = await duplicate(family.id);
    expect(status).toBe(201);
    expect(duplicateFamily.operation.response.parse(body)).toEqual(body);
    expect(body).toEqual({
      ...family,
      name: 'Crane (copy)',
      id: expect.not.stringMatching(family.id),
      draft_version_id: expect.not.stringMatching(next.id),
      created_by: ana.caller.user_id,
      version: 1,
      created_at: expect.any(String),
      updated_at: body.created_at,
      template_id: undefined,
    });
    const [draft, source] = [await template(body.draft_version_id), await template(family.template_id)];
    expect(draft).toMatchObject({
      family_id: body.id,
      version_number: 1,
      status: 'draft',
      name: 'Crane (copy)',
      based_on_id: null,
      content: source.content,
      content_hash: source.content_hash,
    });
  });

  test('201 with the content of the draft if no version is published', async () => {
    const family = await draftedFamily(ana.key);
    await edit(family.draft_version_id!, field(9));
    const { body } = await duplicate(family.id);
    const { content } = await template(body.draft_version_id);
    expect(content.sections[0].fields[0].id).toBe(uuid(9));
    await edit(body.draft_version_id, field(8));
    expect((await template(family.draft_version_id)).content).toEqual(content);
  });

  test.each([
    ['x'.repeat(200), `${'x'.repeat(193)} (copy)`],
    [`${'x'.repeat(192)}😀😀😀😀`, `${'x'.repeat(192)} (copy)`],
    [`${'x'.repeat(190)}   ${'y'.repeat(7)}`, `${'x'.repeat(190)} (copy)`],
  ])('201, and the name %j becomes %j', async (name, copied) => {
    const { body } = await duplicate((await draftedFamily(ana.key, { name })).id);
    expect(body.name).toBe(copied);
  });

  test('201 with a copy of each layout, and the copy of the default layout is the default', async () => {
    const family = await draftedFamily(ana.key);
    const logo = await newPicture(ana.key);
    const usual = await newLayout(ana.key, family.id, { name: 'Client', is_default: true, theme: { logo } });
    const other = await newLayout(ana.key, family.id, { name: 'Office', cover: false, theme: { logo } });
    const { body } = await duplicate(family.id);
    const copies = await layoutsOf(body);
    const copyOf = (layout: object) => ({
      ...layout,
      id: expect.any(String),
      family_id: body.id,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(copies).toEqual([copyOf(usual), copyOf(other)]);
    expect(copies[0].id).not.toBe(usual.id);
    expect(body.settings.default_layout_id).toBe(copies[0].id);
    expect(await layoutsOf(family)).toEqual([usual, other]);
    const document = { params: { document_id: logo } };
    expect((await ana.documents.get(document)).used_by_count).toBe(4);
    expect((await ana.try.documents.delete(document)).status).toBe(409);
    await expect(newLayout(ana.key, body.id, { name: 'client' })).rejects.toThrow('409');
  });

  test('201, and later changes to one family do not reach the other', async () => {
    const family: Family = await draftedFamily(ana.key);
    const { body } = await duplicate(family.id);
    const params = { family_id: family.id };
    await ana.families.update({ params, body: { settings: { correction_mode: 'locked' } } });
    const unchanged = await ana.families.update({ params: { family_id: body.id }, body: {} });
    expect(unchanged).toEqual(body);
  });
});
