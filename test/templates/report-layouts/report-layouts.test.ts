import * as deleteDocument from '../../../functions/documents/delete-document.ts';
import * as getDocument from '../../../functions/documents/get-document.ts';
import * as createReportLayout from '../../../functions/templates/report-layouts/create-report-layout.ts';
import * as deleteReportLayout from '../../../functions/templates/report-layouts/delete-report-layout.ts';
import * as getReportLayout from '../../../functions/templates/report-layouts/get-report-layout.ts';
import * as listReportLayouts from '../../../functions/templates/report-layouts/list-report-layouts.ts';
import * as updateReportLayout from '../../../functions/templates/report-layouts/update-report-layout.ts';
import * as updateFamily from '../../../functions/templates/update-family.ts';
import { DEFAULT_LAYOUT } from '../../../shared/schemas/reports/report-payload.ts';
import type { Family } from '../../../shared/schemas/templates/family.ts';
import type { ReportLayout } from '../../../shared/schemas/templates/report-layout.ts';
import { newDocument } from '../../documents/scenarios.ts';
import { type Answer, call, made } from '../../support/call.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { draftedFamily, locs, newLayout, newPicture, tally, uuid } from '../fixtures.ts';

let ana: Person;
let family: Family;
beforeAll(async () => {
  ana = await newPerson('Ana');
});
beforeEach(async () => {
  family = await draftedFamily(ana.key);
});

const create = (body: unknown, id = family.id) =>
  call(createReportLayout, { as: ana.key, params: { family_id: id }, body });
const of = ({ family_id, id }: ReportLayout) => ({ family_id, layout_id: id });
const get = (layout: ReportLayout) => call(getReportLayout, { as: ana.key, params: of(layout) });
const update = (layout: ReportLayout, body: unknown, headers: Record<string, string> = {}) =>
  call(updateReportLayout, { as: ana.key, params: of(layout), body, headers });
const remove = (layout: ReportLayout, headers: Record<string, string> = {}) =>
  call(deleteReportLayout, { as: ana.key, params: of(layout), headers });
const listed = (query = {}): Promise<ReportLayout[]> =>
  made(listReportLayouts, { as: ana.key, params: { family_id: family.id }, query });
const patchFamily = (body: unknown): Promise<Answer> =>
  call(updateFamily, { as: ana.key, params: { family_id: family.id }, body });
const defaultOf = async (): Promise<string | null> => (await patchFamily({})).body.settings.default_layout_id;
const usesOf = async (documentId: string): Promise<number> =>
  (await made(getDocument, { as: ana.key, params: { document_id: documentId } })).used_by_count;

describe('POST /templates/families/{family_id}/report-layouts', () => {
  test('201 and what is left out is as in the standard layout, none of them the default by itself', async () => {
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
      include: { unanswered: true, na: false, notes: true, media: true },
      email_template: { subject: 'Your report', body: null },
    });
    expect((await get(body)).body).toEqual(body);
    expect(await defaultOf()).toBeNull();
  });

  test('201 as the default, in the same change', async () => {
    const first = await newLayout(ana.key, family.id, { is_default: true });
    const second = await newLayout(ana.key, family.id, { name: 'Office', is_default: true });
    expect([first.is_default, second.is_default]).toEqual([true, true]);
    expect(await defaultOf()).toBe(second.id);
    expect((await listed()).map(({ is_default }) => is_default)).toEqual([false, true]);
  });

  test('400 for a logo that is not there, another organization’s, or no picture', async () => {
    const bo = await newPerson('Bo');
    const text = await newDocument(ana);
    const details = [];
    for (const logo of [uuid(404), await newPicture(bo.key), text.id]) {
      const { status, body } = await create({ name: 'Client', theme: { logo } });
      details.push([status, body.detail]);
    }
    expect(details).toEqual([
      [400, 'theme.logo does not exist'],
      [400, 'theme.logo does not exist'],
      [400, 'theme.logo is no picture'],
    ]);
    expect(await listed()).toEqual([]);
  });

  test('409 for a name that the family has, case aside; another family may have it', async () => {
    await newLayout(ana.key, family.id, { name: 'Für Kunden' });
    expect(await create({ name: 'FÜR kunden' })).toMatchObject({ status: 409 });
    expect((await create({ name: 'FÜR kunden' }, (await draftedFamily(ana.key)).id)).status).toBe(201);
  });

  test('201 for one of ten with one name at once, 409 for the others', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ name: 'Client' })));
    expect(tally(answers)).toEqual({ 201: 1, 409: 9 });
    expect(await listed()).toHaveLength(1);
  });

  test('409 for the twenty-first, also of many at once', async () => {
    const answers = await Promise.all(Array.from({ length: 22 }, (_, n) => create({ name: `L${n}` })));
    expect(tally(answers)).toEqual({ 201: 20, 409: 2 });
    const layouts = await listed();
    expect(layouts).toHaveLength(20);
    await remove(layouts[3]!);
    expect((await create({ name: 'The last' })).status).toBe(201);
    expect((await create({ name: 'One more' })).status).toBe(409);
  }, 60_000);

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
  test('200 in creation order, whole and page by page, and what changed since', async () => {
    const layouts = [];
    for (const name of ['C', 'A', 'B']) layouts.push(await newLayout(ana.key, family.id, { name }));
    await newLayout(ana.key, (await draftedFamily(ana.key)).id);
    expect(await listed()).toEqual(layouts);
    const page = await call(listReportLayouts, {
      as: ana.key,
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
  test('404 for another family’s', async () => {
    const layout = await newLayout(ana.key, family.id);
    const other = await draftedFamily(ana.key);
    expect((await get({ ...layout, family_id: other.id })).status).toBe(404);
    expect((await update({ ...layout, family_id: other.id }, { name: 'X' })).status).toBe(404);
    expect((await remove({ ...layout, family_id: other.id })).status).toBe(404);
  });
});

describe('PATCH /templates/families/{family_id}/report-layouts/{layout_id}', () => {
  test('200 and objects merge, lists are replaced, all else stays', async () => {
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

  test('200 and `is_default` moves the family’s default there, or away from it only', async () => {
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

  test('200 and the settings of the family say the same', async () => {
    const layout = await newLayout(ana.key, family.id);
    expect((await patchFamily({ settings: { default_layout_id: layout.id } })).status).toBe(200);
    expect((await get(layout)).body.is_default).toBe(true);
    await patchFamily({ settings: { default_layout_id: null } });
    expect((await get(layout)).body.is_default).toBe(false);
    const elsewhere = await newLayout(ana.key, (await draftedFamily(ana.key)).id);
    expect((await patchFamily({ settings: { default_layout_id: elsewhere.id } })).status).toBe(400);
  });

  test('200 for its own name in other letters, 409 for another layout’s, and a name given up is free', async () => {
    const layout = await newLayout(ana.key, family.id, { name: 'Client' });
    const other = await newLayout(ana.key, family.id, { name: 'Office' });
    expect((await update(layout, { name: 'CLIENT' })).status).toBe(200);
    expect((await update(other, { name: 'client' })).status).toBe(409);
    expect((await update(layout, { name: 'Public' })).status).toBe(200);
    expect((await update(other, { name: 'client' })).status).toBe(200);
  });

  test('200 and a logo counts as used while a layout shows it', async () => {
    const [one, two] = [await newPicture(ana.key), await newPicture(ana.key)];
    const layout = await newLayout(ana.key, family.id, { theme: { logo: one } });
    const document = { as: ana.key, params: { document_id: one } };
    expect((await call(deleteDocument, document)).status).toBe(409);
    expect((await update(layout, { theme: { logo: two } })).body.theme).toEqual({
      ...layout.theme,
      logo: two,
    });
    expect([await usesOf(one), await usesOf(two)]).toEqual([0, 1]);
    expect((await call(deleteDocument, document)).status).toBe(204);
    expect((await update(layout, { theme: { logo: one } })).status).toBe(400);
    expect((await update(layout, { theme: { logo: null } })).body.theme.logo).toBeNull();
    expect(await usesOf(two)).toBe(0);
  });

  test('409 for another version, in the body or If-Match', async () => {
    const layout = await newLayout(ana.key, family.id);
    await update(layout, { cover: false, expected_version: 1 });
    expect((await update(layout, { cover: true, expected_version: 1 })).status).toBe(409);
    expect((await update(layout, { cover: true }, { 'If-Match': '"1"' })).status).toBe(409);
  });
});

describe('DELETE /templates/families/{family_id}/report-layouts/{layout_id}', () => {
  test('204 and neither its name, its place, its logo nor the default is taken any more', async () => {
    const logo = await newPicture(ana.key);
    const layout = await newLayout(ana.key, family.id, { is_default: true, theme: { logo } });
    const other = await newLayout(ana.key, family.id, { name: 'Office' });
    expect((await remove(layout)).status).toBe(204);
    expect([(await get(layout)).status, (await remove(layout)).status]).toEqual([404, 404]);
    expect([await defaultOf(), await usesOf(logo), await listed()]).toEqual([null, 0, [other]]);
    expect((await create({ name: 'client' })).status).toBe(201);
  });

  test('204 of another one leaves the default', async () => {
    const layout = await newLayout(ana.key, family.id, { is_default: true });
    await remove(await newLayout(ana.key, family.id, { name: 'Office' }));
    expect(await defaultOf()).toBe(layout.id);
  });

  test('204 beside its being made the default, and no default is left that is not there', async () => {
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
