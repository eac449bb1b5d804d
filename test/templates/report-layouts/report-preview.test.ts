import * as openDraft from '../../../functions/templates/open-draft.ts';
import * as previewFamilyReportPayload from '../../../functions/templates/report-layouts/preview-family-report-payload.ts';
import * as previewFamilyReport from '../../../functions/templates/report-layouts/preview-family-report.ts';
import type { Family } from '../../../shared/schemas/templates/family.ts';
import { newDocument } from '../../documents/scenarios.ts';
import { type Answer, call, made } from '../../support/call.ts';
import { readPdf } from '../../support/pdf.ts';
import { newPerson, type Person } from '../../support/people.ts';
import {
  contentWith,
  draftedFamily,
  field,
  locs,
  newLayout,
  newPicture,
  publishedFamily,
  uuid,
} from '../fixtures.ts';

let designer: Person;
let outsider: Person;
beforeAll(async () => {
  designer = await newPerson('Harbour Inspections');
  outsider = await newPerson('Outsider');
});

const CONTENT = contentWith(
  field(2, { label: 'State of the rail', type: 'pass_fail_na', finding: { create: 'auto' } }),
  field(3, { label: 'Photo of the rail', type: 'photo' }),
);

const params = ({ id }: { id: string }) => ({ family_id: id });
const payload = (family: Family, body?: object) =>
  call(previewFamilyReportPayload, { as: designer.key, params: params(family), body });
const preview = (family: Family, format: 'html' | 'pdf', body?: object) =>
  call(previewFamilyReport, { as: designer.key, params: params(family), query: { format }, body });
const labelsIn = ({ body }: Answer): string[] =>
  body.sections.flatMap(({ fields }: { fields: { label: string }[] }) => fields.map(({ label }) => label));

describe('POST /templates/families/{family_id}/report-preview-payload', () => {
  it('200 answers the draft, with what that leads to', async () => {
    const family = await draftedFamily(designer.key, { content: CONTENT });
    const answer = await payload(family);
    expect([answer.status, labelsIn(answer)]).toEqual([200, ['State of the rail', 'Photo of the rail']]);
    expect(answer.body).toMatchObject({
      organization: { name: 'Harbour Inspections' },
      report: { id: null },
      inspection: { name: 'Crane', status: 'completed', template: { id: family.draft_version_id } },
      summary: { counts: { answered: 2, failed: 1 } },
      findings: [{ field_label: 'State of the rail', origin: 'auto' }],
    });
  });

  it('200 takes the version asked for, else the draft, else what is published', async () => {
    const published = await publishedFamily(designer.key, { content: CONTENT });
    expect((await payload(published, {})).body.inspection.template).toMatchObject({ version_number: 1 });
    const draft = await made(openDraft, { as: designer.key, params: params(published) });
    expect((await payload(published)).body.inspection.template).toMatchObject({ id: draft.id });
    const asked = await payload(published, { template_id: published.template_id });
    expect(asked.body.inspection.template).toMatchObject({ id: published.template_id, version_number: 1 });
  });

  it('200 says the same twice, to a read-only key too', async () => {
    const family = await draftedFamily(designer.key, { content: CONTENT });
    const [first, second] = [
      await payload(family),
      await call(previewFamilyReportPayload, { as: designer.readOnlyKey, params: params(family) }),
    ];
    const { report: _, ...same } = first.body;
    expect(second.body).toMatchObject(same);
  });

  it('200 takes the layout asked for, the one given, else the default one', async () => {
    const family = await draftedFamily(designer.key);
    const standard = (await payload(family)).body.layout;
    expect(standard).toMatchObject({ page_size: 'A4' });
    const layout = await newLayout(designer.key, family.id, {
      page_size: 'Letter',
      orientation: 'landscape',
    });
    const asked = await payload(family, { layout_id: layout.id });
    expect(asked.body.layout).toMatchObject({ page_size: 'Letter', orientation: 'landscape' });
    const logo = await newPicture(designer.key);
    const given = await payload(family, { layout: { cover: false, theme: { logo } } });
    expect(given.body.layout).toEqual({ ...standard, cover: false, theme: { ...standard.theme, logo } });
    await newLayout(designer.key, family.id, { name: 'Usual', is_default: true, cover: false });
    expect((await payload(family)).body.layout).toMatchObject({ page_size: 'A4', cover: false });
  });

  it('400 for a version, a layout and a logo that the family does not have, or no picture', async () => {
    const [family, other] = [await draftedFamily(designer.key), await draftedFamily(designer.key)];
    const { id: layout_id } = await newLayout(designer.key, other.id);
    const bodies = [
      { template_id: other.draft_version_id },
      { layout_id },
      { layout: { theme: { logo: await newPicture(outsider.key) } } },
      { layout: { theme: { logo: (await newDocument(designer)).id } } },
    ];
    const answers = await Promise.all(bodies.map((body) => payload(family, body)));
    expect(answers.map(({ status, body }) => [status, body.detail])).toEqual([
      [400, 'template_id does not exist'],
      [400, 'layout_id does not exist'],
      [400, 'layout.theme.logo does not exist'],
      [400, 'layout.theme.logo is no picture'],
    ]);
  });

  it('422 for two layouts, and for one that is none', async () => {
    const family = await draftedFamily(designer.key);
    const both = await payload(family, { layout_id: uuid(1), layout: {} });
    expect([both.status, locs(both)]).toEqual([422, ['body.layout_id']]);
    const wrong = await payload(family, { layout: { page_size: 'A5', blocks: [{ kind: 'text' }], zoom: 2 } });
    expect([wrong.status, locs(wrong).toSorted()]).toEqual([
      422,
      ['body.layout.blocks.0.options.text', 'body.layout.page_size', 'body.layout.zoom'],
    ]);
  });

  it('409 for more than a reply can hold', async () => {
    const family = await draftedFamily(designer.key, { content: large(900, 5_000) });
    const { status, body } = await payload(family);
    expect([status, body.detail]).toEqual([409, expect.stringMatching(/^the report payload has \d\.\d MB/)]);
  });
});

/** A content with long help texts, each of its fields twice. */
const large = (fields: number, length: number) => ({
  sections: [
    {
      id: uuid(1),
      title: 'All',
      repeat: {},
      fields: Array.from({ length: fields }, (_, n) => field(n + 2, { help_text: 'x'.repeat(length) })),
    },
  ],
});

describe('POST /templates/families/{family_id}/report-preview', () => {
  it('200 draws it as a PDF unless another format is asked for', async () => {
    const family = await draftedFamily(designer.key, { name: 'Tour de grue ⛬ Кран', content: CONTENT });
    const { status, headers, bytes } = await call(previewFamilyReport, {
      as: designer.key,
      params: params(family),
    });
    expect([status, headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(headers['content-disposition']).toContain("filename*=UTF-8''Tour%20de%20grue");
    const text = (await readPdf(bytes)).pages.join('\n');
    for (const shown of ['Кран', 'State of the rail', 'Sample client']) expect(text).toContain(shown);
  });

  it('200 draws it as a page that runs and loads nothing', async () => {
    const family = await draftedFamily(designer.key, { name: '<script>alert(1)</script>', content: CONTENT });
    const { status, headers, text } = await preview(family, 'html');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; img-src data:; style-src 'unsafe-inline'; sandbox",
    );
    expect(text).toContain('State of the rail');
    expect(text).toContain('data:image/jpeg;base64,');
    expect(text).not.toContain('<script');
  });

  it('200 shows the logo of its layout', async () => {
    const family = await draftedFamily(designer.key);
    const layout = { theme: { logo: await newPicture(designer.key) } };
    expect((await preview(family, 'html', { layout })).text).toMatch(/<img src="data:image\/png;base64,/);
    expect((await preview(family, 'html')).text).not.toContain('<img');
  });

  it('409 for more than a preview may have', async () => {
    const family = await draftedFamily(designer.key, { content: large(500, 4_000) });
    const { status, body } = await preview(family, 'html');
    expect([status, body.detail]).toEqual([409, 'the preview has 4.3 MB, and may have 3.5 MB']);
  });

  it('422 for another format', async () => {
    const family = await draftedFamily(designer.key);
    const answer = await call(previewFamilyReport, {
      as: designer.key,
      params: params(family),
      query: { format: 'docx' },
    });
    expect([answer.status, locs(answer)]).toEqual([422, ['query.format']]);
  });

  it('503 while there is nothing to draw with', async () => {
    const family = await draftedFamily(designer.key);
    process.env['LAMBDA_TASK_ROOT'] = '/nowhere';
    try {
      const { status, body } = await preview(family, 'pdf');
      expect([status, body.detail]).toEqual([503, 'report rendering is briefly unavailable, try again']);
    } finally {
      delete process.env['LAMBDA_TASK_ROOT'];
    }
    expect((await preview(family, 'pdf')).status).toBe(200);
  });
});
