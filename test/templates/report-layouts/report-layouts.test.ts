import * as errors from '../../../shared/base/errors.ts';
import { DEFAULT_LAYOUT } from '../../../shared/schemas/reports/report-layout-content.ts';
import type { Family } from '../../../shared/schemas/templates/family.ts';
import type { ReportLayout } from '../../../shared/schemas/templates/report-layout.ts';
import { newDocument } from '../../documents/scenarios.ts';
import { type Answer, locs, statusCounts } from '../../support/call.ts';
import { uuid } from '../../support/content.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { draftedFamily, newLayout, newPicture } from '../fixtures.ts';

let ana: Person;
let family: Family;
beforeAll(async () => {
  ana = await newPerson('Ana');
});
beforeEach(async () => {
  family = await draftedFamily(ana.key);
});

const create = (body: unknown, id = family.id) =>
  ana.try.reportLayouts.create({ params: { family_id: id }, body });
const of = ({ family_id, id }: ReportLayout) => ({ family_id, layout_id: id });
const get = (layout: ReportLayout) => ana.try.reportLayouts.get({ params: of(layout) });
const update = (layout: ReportLayout, body: unknown, headers: Record<string, string> = {}) =>
  ana.try.reportLayouts.update({ params: of(layout), body, headers });
const remove = (layout: ReportLayout, headers: Record<string, string> = {}) =>
  ana.try.reportLayouts.delete({ params: of(layout), headers });
const listed = (query = {}): Promise<ReportLayout[]> =>
  ana.reportLayouts.list({ params: { family_id: family.id }, query });
const patchFamily = (body: unknown): Promise<Answer> =>
  ana.try.families.update({ params: { family_id: family.id }, body });
const defaultOf = async (): Promise<string | null> => (await patchFamily({})).body.settings.default_layout_id;
const usesOf = async (documentId: string): Promise<number> =>
  (await ana.documents.get({ params: { document_id: documentId } })).used_by_count;

describe('POST /templates/families/{family_id}/report-layouts', () => {
  test('201 with the values of the standard layout for absent fields; the layout is not the default', async () => {
    const { status, body } = await create({
      name: ' Client ',
      theme: { primary_color: '#8a1c1c' },
      blocks: [{ kind: 'text', options: { text: 'Terms' } }, { kind: 'sections' }],
      include: { na: false },
      email_template: { subject: 'Your report' },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      updated_at: body.created_at,
      family_id: family.id,
      is_default: false,
      version: 1,
      ...DEFAULT_LAYOUT,
      name: 'Client',
      theme: { primary_color: '#8a1c1c', logo: null },
      blocks: [
        { kind: 'text', options: { text: 'Terms' } },
        { kind: 'sections', options: {} },
      ],
      include: { unanswered: true, na: false, notes: true, media: true, answered_by: true },
      email_template: { subject: 'Your report', body: null },
    });
    expect((await get(body)).body).toEqual(body);
    expect(await defaultOf()).toBeNull();
  });

  test('201 for a new default layout, which replaces the default before', async () => {
    const first = await newLayout(ana.key, family.id, { is_default: true });
    const second = await newLayout(ana.key, family.id, { name: 'Office', is_default: true });
    expect([first.is_default, second.is_default]).toEqual([true, true]);
    expect(await defaultOf()).toBe(second.id);
    expect((await listed()).map(({ is_default }) => is_default)).toEqual([false, true]);
  });

  test('400 for a logo that does not exist, belongs to another organization or is not a picture', async () => {
    const bo = await newPerson('Bo');
    const text = await newDocument(ana);
    const details = [];
    for (const logo of [uuid(404), await newPicture(bo.key), text.id]) {
      const { status, body } = await create({ name: 'Client', theme: { logo } });
      details.push([status, body.detail]);
    }
    expect(details).toEqual([
      [400, errors.referenceNotFound('theme.logo').detail],
      [400, errors.referenceNotFound('theme.logo').detail],
      [400, errors.notAPicture('theme.logo').detail],
    ]);
    expect(await listed()).toEqual([]);
  });

  test('409 for a name that the family has already, in any case; another family may use it', async () => {
    await newLayout(ana.key, family.id, { name: 'Für Kunden' });
    expect(await create({ name: 'FÜR kunden' })).toMatchObject({ status: 409 });
    expect((await create({ name: 'FÜR kunden' }, (await draftedFamily(ana.key)).id)).status).toBe(201);
  });

  test('201 for one of ten parallel requests with the same name, 409 for the others', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'Client' })));
    expect(statusCounts(answers)).toEqual({ 201: 1, 409: 9 });
    expect(await listed()).toHaveLength(1);
  });

  test('409 for more than 20 layouts, also in parallel requests', async () => {
    const answers = await Promise.all(Array.from({ length: 22 }, (_, n) => create({ name: `L${n}` })));
    expect(statusCounts(answers)).toEqual({ 201: 20, 409: 2 });
    const layouts = await listed();
    expect(layouts).toHaveLength(20);
    await remove(layouts[3]!);
    expect((await create({ name: 'The last' })).status).toBe(201);
    expect((await create({ name: 'One more' })).status).toBe(409);
  });

  test.each<[object, string[]]>([
    [{}, ['body.name']],
    [
      { name: 'X', page_size: 'A3', orientation: 'up', cover: 'yes' },
      ['body.page_size', 'body.orientation', 'body.cover'],
    ],
    [
      { name: 'X', theme: { primary_color: 'red', logo: 'logo.png' } },
      ['body.theme.primary_color', 'body.theme.logo'],
    ],
    [{ name: 'X', blocks: [{ kind: 'text' }] }, ['body.blocks.0.options.text']],
    [{ name: 'X', blocks: [{ kind: 'text', options: { text: ' ' } }] }, ['body.blocks.0.options.text']],
    [
      { name: 'X', blocks: [{ kind: 'photos' }, { kind: 'media', options: { photo_columns: 9 } }] },
      ['body.blocks.0.kind', 'body.blocks.1.options.photo_columns'],
    ],
    [{ name: 'X', blocks: Array.from({ length: 21 }, () => ({ kind: 'summary' })) }, ['body.blocks']],
    [
      {
        name: 'X',
        blocks: Array.from({ length: 4 }, () => ({ kind: 'text', options: { text: 'x'.repeat(9_000) } })),
      },
      ['body.blocks'],
    ],
    [{ name: 'X', email_template: { subject: 'a\nBcc: b' } }, ['body.email_template.subject']],
    [{ name: 'X', include: { everything: true } }, ['body.include.everything']],
  ])('422 for %j', async (body, expected) => {
    const answer = await create(body);
    expect([answer.status, locs(answer)]).toEqual([422, expected]);
  });
});

describe('GET /templates/families/{family_id}/report-layouts', () => {
  test('200 in creation order, at once and page by page, and only those that changed since a time', async () => {
    const layouts = [];
    for (const name of ['C', 'A', 'B']) layouts.push(await newLayout(ana.key, family.id, { name }));
    await newLayout(ana.key, (await draftedFamily(ana.key)).id);
    expect(await listed()).toEqual(layouts);
    const page = await ana.try.reportLayouts.list({
      params: { family_id: family.id },
      query: { limit: 2 },
    });
    expect(page.body).toEqual(layouts.slice(0, 2));
    const cursor = /cursor=([^&>]+)/.exec(page.headers['link']!)![1]!;
    expect(await listed({ limit: 2, cursor })).toEqual(layouts.slice(2));
    const { body } = await update(layouts[0]!, { cover: false });
    expect(await listed({ updated_since: body.updated_at })).toEqual([body]);
  });
});

describe('GET /templates/families/{family_id}/report-layouts/{layout_id}', () => {
  test('404 for a layout of another family', async () => {
    const layout = await newLayout(ana.key, family.id);
    const other = await draftedFamily(ana.key);
    expect((await get({ ...layout, family_id: other.id })).status).toBe(404);
    expect((await update({ ...layout, family_id: other.id }, { name: 'X' })).status).toBe(404);
    expect((await remove({ ...layout, family_id: other.id })).status).toBe(404);
  });
});

describe('PATCH /templates/families/{family_id}/report-layouts/{layout_id}', () => {
  test('200, and objects are merged, lists are replaced, and nothing else changes', async () => {
    const layout = await newLayout(ana.key, family.id, { theme: { primary_color: '#8a1c1c' } });
    const { status, body } = await update(layout, {
      orientation: 'landscape',
      blocks: [{ kind: 'findings', options: { photo_columns: 4 } }],
      include: { media: false },
      email_template: { body: 'See the file.' },
    });
    expect([status, body]).toEqual([
      200,
      {
        ...layout,
        orientation: 'landscape',
        blocks: [{ kind: 'findings', options: { photo_columns: 4 } }],
        include: { ...layout.include, media: false },
        email_template: { subject: null, body: 'See the file.' },
        version: 2,
        updated_at: expect.any(String),
      },
    ]);
    expect((await get(layout)).body).toEqual(body);
  });

  test('200, and is_default makes this layout the default, or none if it was the default', async () => {
    const first = await newLayout(ana.key, family.id, { name: 'A', is_default: true });
    const second = await newLayout(ana.key, family.id, { name: 'B' });
    expect((await update(second, { is_default: false })).body.is_default).toBe(false);
    expect(await defaultOf()).toBe(first.id);
    expect((await update(second, { is_default: true })).body).toMatchObject({ is_default: true });
    expect((await get(first)).body.is_default).toBe(false);
    expect(await defaultOf()).toBe(second.id);
    expect((await update(second, { is_default: false })).body.is_default).toBe(false);
    expect(await defaultOf()).toBeNull();
  });

  test('200, and is_default follows the settings of the family', async () => {
    const layout = await newLayout(ana.key, family.id);
    expect((await patchFamily({ settings: { default_layout_id: layout.id } })).status).toBe(200);
    expect((await get(layout)).body.is_default).toBe(true);
    await patchFamily({ settings: { default_layout_id: null } });
    expect((await get(layout)).body.is_default).toBe(false);
    const elsewhere = await newLayout(ana.key, (await draftedFamily(ana.key)).id);
    expect((await patchFamily({ settings: { default_layout_id: elsewhere.id } })).status).toBe(400);
  });

  test('409 for the name of another layout, in any case; 200 for its own name or one that is free again', async () => {
    const layout = await newLayout(ana.key, family.id, { name: 'Client' });
    const other = await newLayout(ana.key, family.id, { name: 'Office' });
    expect((await update(layout, { name: 'CLIENT' })).status).toBe(200);
    expect((await update(other, { name: 'client' })).status).toBe(409);
    expect((await update(layout, { name: 'Public' })).status).toBe(200);
    expect((await update(other, { name: 'client' })).status).toBe(200);
  });

  test('200, and a logo counts as used while a layout shows it', async () => {
    const [one, two] = [await newPicture(ana.key), await newPicture(ana.key)];
    const layout = await newLayout(ana.key, family.id, { theme: { logo: one } });
    const document = { params: { document_id: one } };
    expect((await ana.try.documents.delete(document)).status).toBe(409);
    expect((await update(layout, { theme: { logo: two } })).body.theme).toEqual({
      ...layout.theme,
      logo: two,
    });
    expect([await usesOf(one), await usesOf(two)]).toEqual([0, 1]);
    expect((await ana.try.documents.delete(document)).status).toBe(204);
    expect((await update(layout, { theme: { logo: one } })).status).toBe(400);
    expect((await update(layout, { theme: { logo: null } })).body.theme.logo).toBeNull();
    expect(await usesOf(two)).toBe(0);
  });

  test('409 if expected_version or If-Match names another version', async () => {
    const layout = await newLayout(ana.key, family.id);
    await update(layout, { cover: false, expected_version: 1 });
    expect((await update(layout, { cover: true, expected_version: 1 })).status).toBe(409);
    expect((await update(layout, { cover: true }, { 'If-Match': '"1"' })).status).toBe(409);
  });
});

describe('DELETE /templates/families/{family_id}/report-layouts/{layout_id}', () => {
  test('204, and its name and place are free, its logo unused, and it is no longer the default', async () => {
    const logo = await newPicture(ana.key);
    const layout = await newLayout(ana.key, family.id, { is_default: true, theme: { logo } });
    const other = await newLayout(ana.key, family.id, { name: 'Office' });
    expect((await remove(layout)).status).toBe(204);
    expect([(await get(layout)).status, (await remove(layout)).status]).toEqual([404, 404]);
    expect([await defaultOf(), await usesOf(logo), await listed()]).toEqual([null, 0, [other]]);
    expect((await create({ name: 'client' })).status).toBe(201);
  });

  test('204 for another layout than the default, which stays the default', async () => {
    const layout = await newLayout(ana.key, family.id, { is_default: true });
    await remove(await newLayout(ana.key, family.id, { name: 'Office' }));
    expect(await defaultOf()).toBe(layout.id);
  });

  test('204 while it is being made the default, and no deleted layout stays the default', async () => {
    for (let round = 0; round < 5; round += 1) {
      const layout = await newLayout(ana.key, family.id, { name: `L${round}` });
      const [removed, patched] = await Promise.all([
        remove(layout),
        patchFamily({ settings: { default_layout_id: layout.id } }),
      ]);
      expect(removed.status).toBe(204);
      expect([200, 400]).toContain(patched.status);
      expect(await defaultOf()).toBeNull();
    }
  });

  test('409 for another version', async () => {
    const layout = await newLayout(ana.key, family.id);
    expect((await remove(layout, { 'If-Match': '"2"' })).status).toBe(409);
    expect((await remove(layout, { 'If-Match': '"1"' })).status).toBe(204);
  });
});
