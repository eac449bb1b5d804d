import { LANGUAGES, type Language } from '../../../shared/base/i18n/languages.ts';
import { buildDocument } from '../../../shared/reports/document/build.ts';
import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import { openReportImages } from '../../../shared/reports/presentation/images.ts';
import type { ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import { type ReadPdf, readPdfs } from '../../support/pdf.ts';
import { scaled } from '../../support/scale.ts';
import { CASES, failedByCriticalItem } from '../fixtures/hard-cases.ts';
import { fixtureImage } from '../fixtures/images.ts';

const HASH = 'ab'.repeat(32);

const draw = async (payload: ReportPayload) => {
  const { images } = await openReportImages(payload, { loadImage: fixtureImage });
  const document = buildDocument(payload, { images, hash: HASH });
  return { document, ...(await renderPdf(document, { images }, { within: 2 ** 31 - 1 })) };
};

/** Cases that a small run leaves out: another has what is hard in them, or has it in smaller numbers. */
const ALIKE: readonly string[] = scaled(['passed', 'failedBySection', 'instances200'], []);

/** In a small run one language of each script. Each has a font of its own. */
const DRAWN = scaled<readonly Language[]>(['en', 'ar', 'el', 'he', 'hi', 'ja', 'uk', 'zh'], LANGUAGES);

/** A page that holds less than this says nothing that a page is turned for. */
const MIN_PAGE_CHARACTERS = 60;

describe('the PDF of a payload', () => {
  const cases = Object.entries(CASES).filter(([name]) => !ALIKE.includes(name));
  const read = new Map<string, ReadPdf>();
  const drawn = new Map<string, Awaited<ReturnType<typeof draw>>>();

  beforeAll(async () => {
    for (const [name, make] of cases) drawn.set(name, await draw(make()));
    const pdfs = await readPdfs([...drawn.values()].map(({ pdf }) => pdf));
    for (const [index, [name]] of cases.entries()) read.set(name, pdfs[index]!);
  });

  it.each(cases)('is PDF/A with every page in its place (%s)', (name) => {
    const { warnings, pageCount, document } = drawn.get(name)!;
    const { pages, conformance, tags } = read.get(name)!;
    expect(warnings).toEqual([]);
    expect(conformance).toBe('3A');
    expect(pages).toHaveLength(pageCount);
    expect(pages.at(-1)!.replace(/\s/g, '')).toContain(HASH);
    expect(tags.flat().filter((tag) => tag === 'Figure')).toEqual([]);
    const frame = [document.running.head.start, document.running.head.end, document.running.foot];
    const bare = pages.filter((page, index) => {
      const text = frame.reduce((rest, each) => rest.replace(each, ''), page);
      return text.length < MIN_PAGE_CHARACTERS && !tags[index]!.some((tag) => tag.startsWith('Figure'));
    });
    expect(bare).toEqual([]);
  });

  it('has the summary on one page', () => {
    for (const [name, { headings }] of drawn) {
      const [summary, next] = headings;
      expect([name, summary?.page, next && next.page <= 3]).toEqual([name, 2, true]);
    }
  });
});

describe('the PDF in each language', () => {
  it('has its language, its numbers of pages, and every glyph', async () => {
    const all = [];
    for (const language of DRAWN) all.push(await draw(failedByCriticalItem(language)));
    const read = await readPdfs(all.map(({ pdf }) => pdf));
    for (const [index, language] of DRAWN.entries()) {
      const { warnings, document } = all[index]!;
      const { language: said, pages } = read[index]!;
      expect([language, said, warnings]).toEqual([language, language, []]);
      expect(pages[0]).not.toBe('');
      expect(document.direction).toBe(language === 'ar' || language === 'he' ? 'rtl' : 'ltr');
    }
  });
});
