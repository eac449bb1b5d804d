import { html } from '../../../shared/base/markup.ts';
import { indexContent } from '../../../shared/domain/content/content-index.ts';
import { sampleSources } from '../../../shared/domain/report/sample/sources.ts';
import { renderHtml } from '../../../shared/reports/html/render-html.ts';
import { formerPayload, type ReportPayload } from '../../../shared/reports/presentation/former-payload.ts';
import { sampleImage } from '../../../shared/reports/presentation/sample-images.ts';
import { previewPayload } from '../../../shared/reports/preview-payload.ts';
import { DEFAULT_LAYOUT } from '../../../shared/schemas/reports/report-layout-content.ts';
import { Content, FieldType } from '../../../shared/schemas/templates/content.ts';
import { foodEstablishment } from '../fixtures/food-establishment.ts';
import { uuid } from '../fixtures/payload-parts.ts';
import { gradient } from '../fixtures/pictures.ts';

const BLOCKS = [
  'summary',
  'score',
  'text',
  'findings',
  'corrective_actions',
  'sections',
  'media',
  'signatures',
] as const;

/** A report with an answer of every type and a block of every kind. */
const everything = (): ReportPayload => {
  const options = [{ value: 'good', label: 'Good' }];
  const index = indexContent(
    Content.parse({
      scoring: { enabled: true },
      sections: [
        {
          id: uuid(5, 1),
          title: 'Rooms',
          description: 'All of them',
          repeat: {},
          fields: [{ id: uuid(6, 99), type: 'pass_fail_na', label: 'Clean', help_text: 'Look closely' }],
          sections: [
            {
              id: uuid(5, 2),
              title: 'Doors',
              fields: FieldType.options.map((type, n) => ({
                id: uuid(6, n),
                type,
                label: `Question ${n}`,
                finding: { create: 'auto' },
                ...(type.endsWith('_select') && { options }),
              })),
            },
          ],
        },
      ],
    }),
  );
  const { organization } = foodEstablishment();
  const template = { id: uuid(9, 1), name: 'Kitchen', version_number: 3 };
  const layout = {
    ...DEFAULT_LAYOUT,
    blocks: BLOCKS.map((kind) => ({ kind, options: { title: `The ${kind}`, text: 'A text' } })),
  };
  return formerPayload(previewPayload(sampleSources(index, { organization, layout, template }), null));
};

const samples = { loadImage: async (reference: string) => (await sampleImage(reference)) ?? null };
const none = { loadImage: async () => null };
const pageOf = async (payload: ReportPayload, source = samples): Promise<string> =>
  (await renderHtml(payload, source)).html;

type Texts = Record<string, unknown> | unknown[];

/** The members of a payload that are free texts. */
const FREE = new Set(
  'name title label text note description caption help file_name instance section_title field_label recommendation root_cause completion_note assignee_name answered_by_name signed_name typed address'.split(
    ' ',
  ),
);

/** A payload with each text replaced, except those that must have a certain form. */
const withTexts = (payload: ReportPayload, replacement: string): ReportPayload => {
  const replaced = structuredClone(payload);
  const visit = (parent: Texts) => {
    for (const [key, value] of Object.entries(parent)) {
      if (typeof value === 'object' && value !== null) visit(value as Texts);
      if (typeof value !== 'string' || value === '') continue;
      if (FREE.has(key)) Reflect.set(parent, key, replacement);
    }
  };
  visit(replaced as unknown as Texts);
  return replaced;
};

/** The tags of a page with the names of their attributes, without the values. */
const skeletonOf = (page: string): string[] =>
  page.match(/<[^>]*>/g)!.map((tag) => tag.replaceAll(/="[^"]*"/g, '=""'));

const without = (page: string, pattern: RegExp): string => page.replaceAll(pattern, '');
const headings = (page: string): [level: number, text: string][] =>
  [...page.matchAll(/<h(\d)[^>]*>(.*?)<\/h\1>/gs)].map(([, level, text]) => [Number(level), text!]);

describe('renderHtml', () => {
  it.each([
    ['markup', `"'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;`],
    ['an attribute', `" onload="alert(1)" style="background:url(//evil.example)`],
    ['end tags and comments', `</style></title></table></svg>--><!--]]>`],
    ['control characters', 'a\u0000\u001b[31m\u202e\ud800</p>'],
  ])('keeps its structure for any text: %s', async (_, text) => {
    const payload = everything();
    const [harmless, hostile] = [withTexts(payload, 'x'), withTexts(payload, text)];
    expect(hostile).not.toEqual(harmless);
    const page = await pageOf(hostile, none);
    expect(skeletonOf(page)).toEqual(skeletonOf(await pageOf(harmless, none)));
    expect(page).not.toContain(text);
  });

  it('loads nothing and runs no script', async () => {
    const page = await pageOf(everything());
    expect(page).toContain(
      `content="default-src &#39;none&#39;; img-src data:; style-src &#39;unsafe-inline&#39;"`,
    );
    const bare = without(page, /"data:image\/(jpeg|png);base64,[A-Za-z0-9+/=]+"/g);
    expect(bare.match(/<script|\son\w+=|url\(|@import|<link|<iframe|javascript:|\ssrc="/gi)).toBeNull();
    expect(bare.match(/\shref="[^#][^"]*"/g)).toBeNull();
    expect(bare.match(/https?:/g)).toBeNull();
  });

  it('shows each answer with its note and its author', async () => {
    const payload = everything();
    const page = await pageOf(payload);
    const fields = payload.sections.flatMap((section) =>
      [section, ...section.sections].flatMap(({ fields: own }) => own),
    );
    expect(fields.length).toBeGreaterThan(50);
    const said = fields.flatMap(({ label, answer, note, help }) => [
      label,
      answer.text ?? '',
      note,
      help ?? '',
    ]);
    expect(said.filter((text) => !page.includes(html`${text}`.text))).toEqual([]);
    expect(page).toContain('Alex Sample · ');
  });

  it('has accessible headings, tables and images', async () => {
    const page = await pageOf(foodEstablishment(), { loadImage: () => gradient(80, 60, 20) });
    expect(page).toMatch(/^<!doctype html><html lang="en-GB" dir="ltr">/);
    const levels = headings(page).map(([level]) => level);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [i, level] of levels.slice(1).entries()) expect(level - levels[i]!).toBeLessThanOrEqual(1);
    const tables = page.match(/<table.*?<\/table>/gs)!;
    for (const table of tables)
      expect(table).toMatch(/^<table[^>]*><caption.*<th scope="col".*<th scope="row"/s);
    expect(page.match(/<svg(?! role="img" aria-label="[^"]+")(?![^>]*aria-hidden)/)).toBeNull();
    expect(page.match(/<img(?![^>]*alt="[^"]+")/)).toBeNull();
  });

  it('contains each photo once, even if it is shown several times', async () => {
    const page = await pageOf(everything());
    const uses = page.match(/<use href="#photo-0"/g)!;
    expect(uses.length).toBeGreaterThan(2);
    expect(page.match(/<image id="photo-0"/g)).toHaveLength(1);
  });

  it('replaces an image that cannot be opened by a box, and warns', async () => {
    const payload = foodEstablishment();
    const { html: page, warnings } = await renderHtml(payload, none);
    expect(page).toContain('Image cannot be shown');
    expect(page).toContain('Signature cannot be shown');
    expect(warnings).toContain('The image "logo" was not found.');
    expect(page).not.toContain('<use ');
  });

  it('leaves out images after the limit of size or time', async () => {
    const payload = everything();
    const limits = { photoSide: 64, imageBytes: 1e6, imagesUntil: Number.POSITIVE_INFINITY };
    const rendered = (more: object) => renderHtml(payload, { ...samples, limits: { ...limits, ...more } });
    const [small, tight, late] = [
      await rendered({}),
      await rendered({ imageBytes: 10 }),
      await rendered({ imagesUntil: 0 }),
    ];
    expect(small.warnings.filter((warning) => warning.includes('left out'))).toEqual([]);
    expect(small.html).toMatch(/<image id="photo-0" href="[^"]+" width="64" height="48"/);
    for (const { html: page, warnings } of [tight, late]) {
      expect(page).not.toContain('data:image/');
      expect(warnings).toContain(
        'The image "photo.jpg" was left out: the report reached its limit of time or size.',
      );
    }
  });

  it('shows the blocks of the layout in order, under their titles', async () => {
    const page = await pageOf(everything());
    const titles = headings(page).filter(([level]) => level === 2);
    expect(titles.map(([, text]) => text)).toEqual(BLOCKS.map((kind) => `The ${kind}`));
    expect(page).toContain('<p dir="auto">A text</p>');
  });

  it('leaves out what the layout excludes', async () => {
    const payload = everything();
    const bare: ReportPayload = {
      ...payload,
      layout: {
        ...payload.layout,
        include: { unanswered: false, na: false, notes: false, media: false, answered_by: false },
      },
    };
    const [full, reduced] = [await pageOf(payload), await pageOf(bare)];
    for (const sign of ['aria-label="Unanswered"', '>N/A</li>', '>Note</p>', '<use ']) {
      expect([sign, full.includes(sign), reduced.includes(sign)]).toEqual([sign, true, false]);
    }
  });

  it('uses the paper, the colour and the cover of the layout', async () => {
    const payload = everything();
    const { layout } = payload;
    const page = await pageOf({
      ...payload,
      layout: {
        ...layout,
        page_size: 'Letter',
        orientation: 'landscape',
        cover: false,
        theme: { primary_color: '#8a1c1c', logo: null },
      },
    });
    expect(page).toContain('@page{size:letter landscape;');
    expect(page).toContain('style="--theme:#8a1c1c;');
    expect(page).not.toContain('class="cover"');
    expect(await pageOf(payload)).toContain('class="cover"');
  });

  it.each([
    ['ar-EG', 'lang="ar" dir="rtl"'],
    ['he', 'lang="he" dir="rtl"'],
    ['de-CH', 'lang="de-CH" dir="ltr"'],
    ['no such locale', 'lang="en" dir="ltr"'],
  ])('has the language and direction of %s', async (locale, attributes) => {
    const payload = everything();
    const organization = { ...payload.organization, locale };
    expect(await pageOf({ ...payload, organization }, none)).toContain(`<html ${attributes}>`);
  });
});
