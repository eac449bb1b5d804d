import { html } from '../../../shared/base/markup.ts';
import { buildDocument } from '../../../shared/reports/document/build.ts';
import type { ReportDocument } from '../../../shared/reports/document/document.ts';
import { renderHtml } from '../../../shared/reports/html/render-html.ts';
import { openReportImages, type RenderLimits } from '../../../shared/reports/presentation/images.ts';
import type { ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import { anchorsOf, sectionsOf, textsOf } from '../document/support.ts';
import {
  CASES,
  corrected,
  findingsWithActions,
  instances,
  manyPhotos,
  unfinished,
} from '../fixtures/hard-cases.ts';
import { fixtureImage } from '../fixtures/images.ts';

const LIMITS: RenderLimits = { photoSide: 64, imageBytes: 2_000_000, imagesUntil: Number.POSITIVE_INFINITY };

const drawn = async (payload: ReportPayload, hash: string | null = 'ab'.repeat(32)) => {
  const { images } = await openReportImages(payload, { loadImage: fixtureImage, limits: LIMITS });
  const document = buildDocument(payload, { images, hash });
  return { document, page: renderHtml(document, images) };
};

/** The page of a payload without its images. */
const pageOf = (payload: ReportPayload): string =>
  renderHtml(buildDocument(payload, { images: new Map(), hash: null }), new Map());

/** The tags of a page with the names of their attributes, without the values. */
const skeletonOf = (page: string): string[] =>
  page.match(/<[^>]*>/g)!.map((tag) => tag.replaceAll(/="[^"]*"/g, '=""'));

const headings = (page: string): number[] =>
  Array.from(page.matchAll(/<h([1-6])[ >]/g), ([, level]) => Number(level));

/** A document with each text replaced that is words, and not an anchor, a colour or a reference. */
const withTexts = (document: ReportDocument, replacement: string): ReportDocument => {
  const replaced = structuredClone(document);
  const FREE =
    /^(?:text|title|question|help|name|value|caption|label|place|reference|sentence|counts|answeredBy|by|remark|signed|typed|heading|organization|kind|number|alt|notice|foot|start|end|assignee|due|points|percentage|passing)$/;
  const visit = (parent: object): void => {
    for (const [key, value] of Object.entries(parent)) {
      if (typeof value === 'object' && value !== null) visit(value as object);
      else if (
        typeof value === 'string' &&
        value !== '' &&
        FREE.test(key) &&
        !('kind' in parent && key === 'kind')
      )
        Reflect.set(parent, key, replacement);
    }
  };
  visit(replaced);
  return replaced;
};

describe('renderHtml', () => {
  it.each([
    ['markup', `"'><script>alert(1)</script><img src=x onerror=alert(1)>&lt;`],
    ['an attribute', `" onload="alert(1)" style="background:url(//evil.example)`],
    ['end tags and comments', `</style></title></table></svg>--><!--]]>`],
    ['control characters', 'a\u0000\u001b[31m\u202e\ud800</p>'],
  ])('keeps its structure for any text: %s', async (_, text) => {
    const document = buildDocument(findingsWithActions(), { images: new Map(), hash: null });
    const [harmless, hostile] = [withTexts(document, 'x'), withTexts(document, text)];
    const page = renderHtml(hostile, new Map());
    expect(skeletonOf(page)).toEqual(skeletonOf(renderHtml(harmless, new Map())));
    expect(page).not.toContain(text);
  });

  it('loads nothing and runs no script; what leaves the page are links', async () => {
    const { page } = await drawn(findingsWithActions());
    expect(page).toContain(
      `content="default-src &#39;none&#39;; img-src data:; style-src &#39;unsafe-inline&#39;"`,
    );
    const bare = page.replaceAll(/"data:image\/(?:jpeg|png);base64,[A-Za-z0-9+/=]+"/g, '""');
    expect(bare.match(/<script|\son\w+=|url\(|@import|<link|<iframe|javascript:|\ssrc="[^"]/gi)).toBeNull();
    const outside = Array.from(bare.matchAll(/<a href="([^#"][^"]*)"( rel="noopener noreferrer")?/g));
    expect(outside.length).toBeGreaterThan(2);
    expect(outside.filter(([, href, rel]) => !/^(?:https:|mailto:|tel:)/.test(href!) || !rel)).toEqual([]);
  });

  test.each(Object.entries(CASES))(
    '%s: has every word of the document, and every anchor once',
    async (_name, payloadOf) => {
      const document = buildDocument(payloadOf(), { images: new Map(), hash: null });
      const page = renderHtml(document, new Map());
      const ids = Array.from(page.matchAll(/\sid="([^"]+)"/g), ([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
      expect(new Set(anchorsOf(document).wanted).difference(new Set(ids))).toEqual(new Set());
      const { running: _running, masthead: _masthead, subject: _subject, ...shown } = document;
      // A page of HTML has no end, so that nothing is continued.
      const continued = new Set(sectionsOf(document).map((section) => section.continued));
      const words = textsOf(shown as ReportDocument).filter(
        (text) => /\p{L}{3}/u.test(text) && /\s/.test(text) && !continued.has(text),
      );
      // Alternative texts are only of photos that can be shown.
      const missing = words.filter(
        (text) => !page.includes(html`${text}`.text) && !/^Photo \d+: /.test(text),
      );
      expect(missing).toEqual([]);
    },
  );

  it('has accessible headings, tables and images', async () => {
    for (const payload of [findingsWithActions(), corrected(), instances(12)]) {
      const { page } = await drawn(payload);
      const levels = headings(page);
      expect(levels.filter((level) => level === 1)).toHaveLength(1);
      for (const [i, level] of levels.slice(1).entries()) expect(level - levels[i]!).toBeLessThanOrEqual(1);
      for (const table of page.match(/<table.*?<\/table>/gs) ?? [])
        expect(table).toMatch(/^<table[^>]*><caption.*<th scope="col".*<th scope="row"/s);
      expect(page.match(/<img(?![^>]*alt="[^"]+")/)).toBeNull();
    }
  });

  it('contains the bytes of each photo once, and the large one links back', async () => {
    const { document, page } = await drawn(findingsWithActions());
    expect(page.match(/<image id="image-photo-1"/g)).toHaveLength(1);
    for (const { anchor } of document.photos)
      expect(page.match(new RegExp(`<use href="#image-${anchor}"`, 'g'))).toHaveLength(2);
    for (const { anchor, from, label } of document.appendix!.photos) {
      expect(page).toContain(`<figure id="${anchor}"`);
      expect(page).toContain(`<a href="#${from}">${label}</a>`);
    }
  });

  it('says so where an image cannot be shown, and shows all shapes of others', async () => {
    const { document, page } = await drawn(manyPhotos(10));
    expect(document.appendix!.photos.map(({ size }) => size && size.width / size.height > 1)).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
      false,
      false,
      true,
      true,
      null,
      null,
    ]);
    expect(page).toContain('The image cannot be shown');
    expect(page).toContain('Taken on 14.03.2026, 10:05');
    expect(page).toContain('54.51890,\u00a018.53050');
    expect(page).toContain('door.mp4 <span class="quiet">');
  });

  it('says Draft, and gives no verdict', () => {
    const page = pageOf(unfinished());
    expect(page).toContain('<p class="draft">Draft</p>');
    expect(page).not.toContain('class="verdict"');
  });

  it('is in the language of the report, and from right to left where it is', () => {
    expect(pageOf(findingsWithActions('ar'))).toMatch(/^<!doctype html><html lang="ar" dir="rtl">/);
    expect(pageOf(findingsWithActions('de'))).toMatch(/^<!doctype html><html lang="de" dir="ltr">/);
  });

  it('uses the paper, the colour and the cover of the layout', () => {
    const payload = findingsWithActions();
    Object.assign(payload.layout, {
      page_size: 'Letter',
      orientation: 'landscape',
      cover: false,
      theme: { primary_color: '#8a1c1c', logo: null },
    });
    const page = pageOf(payload);
    expect(page).toContain('@page{size:letter landscape;');
    expect(page).toContain('--theme:#8a1c1c;');
    expect(page).not.toContain('class="cover"');
  });

  it('names each column in its cells, which are cards on a phone', async () => {
    const page = pageOf(instances(12));
    expect(page.match(/<td data-label="Seal intact"/g)).toHaveLength(12);
    expect(page).toContain('@media (max-width:600px)');
  });
});
