import * as errors from '../../../shared/base/errors.ts';
import type { Family } from '../../../shared/schemas/templates/family.ts';
import { newDocument } from '../../documents/scenarios.ts';
import { type Answer, as, locs } from '../../support/call.ts';
import { contentWith, field, uuid } from '../../support/content.ts';
import { readPdf } from '../../support/pdf.ts';
import { newPerson, type Person } from '../../support/people.ts';
import { draftedFamily, newLayout, newPicture, publishedFamily } from '../fixtures.ts';

let designer: Person;
let outsider: Person;
beforeAll(async () => {
  designer = await newPerson('Harbour Inspections');
  outsider = await newPerson('Outsider');
});

const CONTENT = contentWith(
  field(2, 'pass_fail_na', { label: 'State of the rail', finding: { create: 'auto' } }),
  field(3, 'photo', { label: 'Photo of the rail' }),
);

const params = ({ id }: { id: string }) => ({ family_id: id });
const payload = (family: Family, body?: object) =>
  designer.try.reportLayouts.previewFamilyReportPayload({ params: params(family), body });
const preview = (family: Family, format: 'html' | 'pdf', body?: object) =>
  designer.try.reportLayouts.previewFamilyReport({ params: params(family), query: { format }, body });
const labelsIn = ({ body }: Answer): string[] =>
  body.sections.flatMap(({ fields }: { fields: { label: string }[] }) => fields.map(({ label }) => label));

describe('POST /templates/families/{family_id}/report-preview-payload', () => {
  it('200 with sample answers to the draft and the findings that follow from them', async () => {
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

  it('200 for the given version, else the draft, else the published version', async () => {
    const published = await publishedFamily(designer.key, { content: CONTENT });
    expect((await payload(published, {})).body.inspection.template).toMatchObject({ version_number: 1 });
    const draft = await designer.versions.openDraft({ params: params(published) });
    expect((await payload(published)).body.inspection.template).toMatchObject({ id: draft.id });
    const asked = await payload(published, { template_id: published.template_id });
    expect(asked.body.inspection.template).toMatchObject({ id: published.template_id, version_number: 1 });
  });

  it('200 with the same payload each time, also for a read-only key', async () => {
    const family = await draftedFamily(designer.key, { content: CONTENT });
    const [first, second] = [
      await payload(family),
      await as(designer.readOnlyKey).try.reportLayouts.previewFamilyReportPayload({ params: params(family) }),
    ];
    const { report: _, ...same } = first.body;
    expect(second.body).toMatchObject(same);
  });

  it('200 with the layout of layout_id or layout, else the default one', async () => {
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

  it('400 for a version or layout of another family, a logo of another organization, and a logo that is not a picture', async () => {
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
      [400, errors.referenceNotFound('template_id').detail],
      [400, errors.referenceNotFound('layout_id').detail],
      [400, errors.referenceNotFound('layout.theme.logo').detail],
      [400, errors.notAPicture('layout.theme.logo').detail],
    ]);
  });

  it('422 for two layouts, and for an invalid one', async () => {
    const family = await draftedFamily(designer.key);
    const both = await payload(family, { layout_id: uuid(1), layout: {} });
    expect([both.status, locs(both)]).toEqual([422, ['body.layout_id']]);
    const wrong = await payload(family, { layout: { page_size: 'A5', blocks: [{ kind: 'text' }], zoom: 2 } });
    expect([wrong.status, locs(wrong).toSorted()]).toEqual([
      422,
      ['body.layout.blocks.0.options.text', 'body.layout.page_size', 'body.layout.zoom'],
    ]);
  });

  it('409 for a payload larger than a reply can be', async () => {
    const family = await draftedFamily(designer.key, { content: large(900, 5_000) });
    const { status, body } = await payload(family);
    expect([status, body.detail]).toEqual([409, expect.stringMatching(/^The report payload has \d\.\d MB/)]);
  });
});

/** A content with long help texts. Its section repeats, so the sample has each field twice. */
const large = (fields: number, length: number) => ({
  sections: [
    {
      id: uuid(1),
      title: 'All',
      repeat: {},
      fields: Array.from({ length: fields }, (_, n) =>
        field(n + 2, 'text', { help_text: 'x'.repeat(length) }),
      ),
    },
  ],
});

describe('POST /templates/families/{family_id}/report-preview', () => {
  it('200 with a PDF if no format is given', async () => {
    const family = await draftedFamily(designer.key, { name: 'Tour de grue ⛬ Кран', content: CONTENT });
    const { status, headers, bytes } = await designer.try.reportLayouts.previewFamilyReport({
      params: params(family),
    });
    expect([status, headers['content-type']]).toEqual([200, 'application/pdf']);
    expect(headers['content-disposition']).toContain("filename*=UTF-8''Tour%20de%20grue");
    const text = (await readPdf(bytes)).pages.join('\n');
    for (const shown of ['Кран', 'State of the rail', 'Sample client']) expect(text).toContain(shown);
  });

  it('200 with an HTML page that runs no scripts and loads nothing', async () => {
    const family = await draftedFamily(designer.key, { name: '<script>alert(1)</script>', content: CONTENT });
    const { status, headers, text } = await preview(family, 'html');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']!.split('; ')).toEqual([
      "default-src 'none'",
      'img-src data:',
      "style-src 'unsafe-inline'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      'sandbox',
    ]);
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(text).toContain('State of the rail');
    expect(text).toContain('data:image/jpeg;base64,');
    expect(text).not.toContain('<script');
  });

  it('200 with the logo of the layout', async () => {
    const family = await draftedFamily(designer.key);
    const layout = { theme: { logo: await newPicture(designer.key) } };
    expect((await preview(family, 'html', { layout })).text).toMatch(/<img src="data:image\/png;base64,/);
    expect((await preview(family, 'html')).text).not.toContain('<img');
  });

  it('409 for a preview larger than the maximum', async () => {
    const family = await draftedFamily(designer.key, { content: large(500, 4_000) });
    const { status, body } = await preview(family, 'html');
    expect([status, body.detail]).toEqual([
      409,
      errors.previewTooLarge('preview', 4_400_000, 3_500_000).detail,
    ]);
  });

  it('422 for an unknown format', async () => {
    const family = await draftedFamily(designer.key);
    const answer = await designer.try.reportLayouts.previewFamilyReport({
      params: params(family),
      query: { format: 'docx' },
    });
    expect([answer.status, locs(answer)]).toEqual([422, ['query.format']]);
  });

  it('503 while the renderer is missing', async () => {
    const family = await draftedFamily(designer.key);
    process.env['LAMBDA_TASK_ROOT'] = '/nowhere';
    try {
      const { status, body } = await preview(family, 'pdf');
      expect([status, body.detail]).toEqual([503, errors.unavailable('Report rendering').detail]);
    } finally {
      delete process.env['LAMBDA_TASK_ROOT'];
    }
    expect((await preview(family, 'pdf')).status).toBe(200);
  });
});
