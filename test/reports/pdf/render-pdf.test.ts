import type { ReportDocument } from '../../../shared/reports/document/document.ts';
import { type RenderedPdf, renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import { readPdf, type ReadPdf, readPdfs } from '../../support/pdf.ts';
import { scaled } from '../../support/scale.ts';
import { documentOf } from '../document/support.ts';
import {
  action,
  documentImages,
  everyBlock,
  finding,
  item,
  LONG_TEXT,
  photo,
  reportDocument,
  section,
  words,
} from '../fixtures/documents.ts';
import { corrected, extinguishers, findingsWithActions, withText } from '../fixtures/hard-cases.ts';
import { gradient } from '../fixtures/pictures.ts';

const LIMITS = { within: 20_000 };

const drawn = async (document: ReportDocument, payload?: string): Promise<RenderedPdf> =>
  renderPdf(document, { images: await documentImages(document), ...(payload && { payload }) }, LIMITS);

/** The text without spaces, which line breaks add or hide. */
const unwrapped = (text: string): string => text.replace(/\s/g, '');

/** The names of members whose texts are drawn as they are. */
const DRAWN = new Set(['text', 'title', 'question', 'help', 'value', 'name', 'label', 'caption']);

const textsIn = (value: unknown, name = ''): string[] => {
  if (typeof value === 'string') return DRAWN.has(name) ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => textsIn(member, Array.isArray(value) ? name : key));
};

describe('the PDF of a report with every block', () => {
  const payload = JSON.stringify({ inspection: 'Κουζίνα' });
  let document: ReportDocument;
  let result: RenderedPdf;
  let read: ReadPdf;

  beforeAll(async () => {
    document = everyBlock();
    result = await drawn(document, payload);
    read = await readPdf(result.pdf);
  });

  it('is PDF/A-3a: tagged, in its language, with its title', () => {
    expect(result.warnings).toEqual([]);
    expect(read).toMatchObject({ conformance: '3A', isTagged: true, language: 'en' });
    expect(read.info).toMatchObject({
      Title: document.title,
      Author: document.author,
      Subject: document.subject,
    });
    expect(read.size.width).toBeCloseTo(595.28, 1);
    expect(read.size.height).toBeCloseTo(841.89, 1);
  });

  it('says everything that the document says', () => {
    const text = unwrapped(read.pages.join(''));
    const said = textsIn({ ...document, masthead: null, title: null });
    expect(said.length).toBeGreaterThan(150);
    expect(said.filter((each) => !text.includes(unwrapped(each)))).toEqual([]);
  });

  it('has the page number, the head and the foot on each page after the cover', () => {
    expect(read.pages).toHaveLength(result.pageCount);
    for (const [index, page] of read.pages.slice(1).entries()) {
      expect(page).toContain(`Page ${index + 2} of ${result.pageCount}`);
      expect(page).toContain(document.running.head.start);
      expect(page).toContain(document.running.foot);
    }
  });

  it('knows the page of each heading, as the outline does', () => {
    const pageOf = new Map(result.headings.map(({ anchor, page }) => [anchor, page]));
    for (const [anchor, title] of [
      ['summary', 'Summary'],
      ['finding-1', 'The walk-in cooler'],
      ['section-1', 'Premises and equipment'],
      ['section-2-1', 'Cooler 3'],
      ['correction-1', 'Correction 1'],
      ['appendix', 'Photos'],
    ] as const) {
      const page = pageOf.get(anchor)!;
      expect(unwrapped(read.pages[page - 1]!)).toContain(unwrapped(title));
      expect(read.outline.some((line) => line.startsWith(`${page}: `) && line.includes(title))).toBe(true);
    }
    expect(read.outline).toHaveLength(result.headings.length);
  });

  it('links findings, items, photos and addresses', () => {
    const pageOf = new Map(result.headings.map(({ anchor, page }) => [anchor, page]));
    const finding = pageOf.get('finding-1');
    const appendix = pageOf.get('appendix')!;
    expect(read.links).toContain(`2: page ${finding}`);
    expect(read.links).toContain(`${finding}: page ${appendix}`);
    expect(read.links.filter((link) => link.endsWith('https://nordic.example/terms'))).toHaveLength(1);
    expect(read.links.some((link) => link.endsWith('https://maps.example/?q=53.27,-9.05'))).toBe(true);
    expect(read.links.some((link) => link.startsWith(`${appendix}: page `))).toBe(true);
  });

  it('has tags for headings, tables and figures with alternative texts', () => {
    const tags = read.tags.flat();
    for (const tag of ['H1', 'H2', 'H3', 'Table', 'TH', 'TD', 'Link', 'P']) expect(tags).toContain(tag);
    expect(tags).toContain('Figure: Photo 1: as it was found');
    expect(tags.filter((tag) => tag === 'Figure')).toEqual([]);
  });

  it('has the payload attached, byte for byte', () => {
    expect(read.attachments).toEqual({ 'payload.json': payload });
  });

  it('ends with the checksum and the QR code', () => {
    expect(unwrapped(read.pages.at(-1)!)).toContain(document.closing.hash);
    expect(read.tags.at(-1)).toContain(`Figure: ${document.closing.qr}`);
  });

  it('has the same bytes for the same input', async () => {
    expect((await drawn(everyBlock(), payload)).pdf.equals(result.pdf)).toBe(true);
  });
});

describe('the PDF of other reports', () => {
  const sections = (...parts: Parameters<typeof section>[1]): ReportDocument['blocks'] => [
    {
      kind: 'sections',
      heading: { anchor: 'record', text: 'Record' },
      photoColumns: 3,
      comparedWith: null,
      sections: [section(1, parts)],
    },
  ];
  const read = async (document: ReportDocument): Promise<ReadPdf> => readPdf((await drawn(document)).pdf);

  it('says Draft on the cover and on every page, and repeats the question of a long text on each of its own', async () => {
    const items = Array.from({ length: 40 }, (_, index) => item(index));
    const long = item(41, {
      isLong: true,
      question: 'State of the walls',
      answer: [words(`${LONG_TEXT} ${LONG_TEXT}`)],
    });
    const { pages } = await read(reportDocument(sections(...items, long), { draft: 'Entwurf' }));
    expect(pages.filter((page) => !page.includes('Entwurf'))).toEqual([]);
    const shown = pages.filter((page) => /Sentence \d+ says/.test(page));
    expect(shown.length).toBeGreaterThan(1);
    expect(shown.filter((page) => !page.includes('State of the walls'))).toEqual([]);
    expect(pages.length).toBeGreaterThan(2 + shown.length);
  });

  it('says what an earlier inspection answered, beside a short answer and below a long one, and the text of a link that leads nowhere', async () => {
    const before = {
      label: 'Before',
      answer: [words('Was in order')],
      isFailed: false,
      isUnanswered: false,
      note: [words('Painted in May')],
      photos: [photo(1)],
    };
    const answer = [
      [
        { text: 'Lost', to: 'no-such-part' },
        { text: 'Broken', href: 'http://[' },
        { text: 'Endless', href: `https://example.org/${'a'.repeat(3000)}` },
      ],
    ];
    const [comparing] = sections(item(1, { before }), item(2, { isLong: true, before }), item(3, { answer }));
    const blocks = [{ ...comparing!, comparedWith: 'Before: No. 12' } as ReportDocument['blocks'][number]];
    const { pages, links } = await read(reportDocument(blocks, { appendix: null }));
    const text = pages.join('\n');
    expect(text).toContain('Before: No. 12');
    for (const said of ['Was in order', 'Painted in May', 'Photo 1']) {
      expect(text.split(said).length - 1).toBeGreaterThanOrEqual(2);
    }
    expect(unwrapped(text)).toContain('LostBrokenEndless');
    expect(links.filter((link) => !link.includes('inspections.example'))).toEqual([]);
  });

  it('repeats the titles of a long finding, of its action and of an instance, which are in the outline once', async () => {
    const texts = [{ heading: 'Description', paragraphs: [words(LONG_TEXT)] }];
    const long = finding(1, {
      title: 'The cooler is warm',
      texts,
      actions: [action(1, { title: 'Replace the seal', texts: [...texts, ...texts] })],
    });
    const findings: ReportDocument['blocks'][number] = {
      kind: 'findings',
      heading: { anchor: 'findings', text: 'Findings' },
      empty: null,
      photoColumns: 3,
      findings: [long, finding(2, { title: 'The floor is wet', texts })],
    };
    const instance = (index: number, size: number) =>
      section(
        `1-${index}`,
        Array.from({ length: size }, (_, n) => item(`${index}-${n}`, { question: `EXT-${index} has ${n}` })),
        {
          number: '',
          title: `EXT-${index}`,
          continued: `EXT-${index} (Fortsetzung)`,
          level: 2,
        },
      );
    const short = [1, 2, 3, 4, 5, 6, 7].map((index) => instance(index, 9));
    const { pages, outline } = await read(
      reportDocument([findings, ...sections(...short, instance(8, 60))], { appendix: null }),
    );
    const pagesWith = (text: string) => pages.flatMap((page, index) => (page.includes(text) ? [index] : []));

    const [first, second] = [pagesWith('The cooler is warm'), pagesWith('The floor is wet')];
    expect(first.length).toBeGreaterThan(1);
    expect(pagesWith('Replace the seal').length).toBeGreaterThan(1);
    expect(pagesWith('says what was seen')).toEqual([...new Set([...first, ...second])]);
    expect(outline.filter((line) => line.includes('The cooler is warm'))).toHaveLength(1);

    // A short one is kept together.
    for (const { title } of short) expect(pagesWith(`${title} has`)).toHaveLength(1);
    const [start, ...others] = pagesWith('EXT-8 has');
    expect(others.length).toBeGreaterThan(1);
    expect(pagesWith('EXT-8 (Fortsetzung)')).toEqual(others);
    expect(outline.filter((line) => line.includes('EXT-8'))).toEqual([`${start! + 1}: EXT-8`]);
  });

  it('draws 120 instances of ten answers with their 60 photos on 30 pages, the table on pages on their sides', async () => {
    const payload = extinguishers(120);
    payload.layout.photos_per_page = 6;
    const document = documentOf(payload);
    const data = await gradient(160, 120, 200);
    const images = new Map(
      document.photos.map(({ reference }) => [reference, { data, mime: 'image/jpeg' as const }]),
    );
    const { pages, extents, tags } = await readPdf((await renderPdf(document, { images }, LIMITS)).pdf);
    expect(pages.length).toBeLessThanOrEqual(30);
    const isRecord = (index: number): boolean => /EXT-1\d\d\d\s+1\d/.test(pages[index]!);
    for (const [index, { width }] of extents.entries())
      expect([index, Math.round(width)]).toEqual([index, isRecord(index) ? 842 : 595]);
    // Each photo is a figure at most twice.
    const figures = tags.flat().filter((tag) => tag.startsWith('Figure: Photo'));
    expect(new Set(figures).size).toBe(60);
    expect(figures).toHaveLength(2 * 60);
  });

  it.each([4, 6] as const)(
    'has %d photos on a page of the appendix, upright and on its side',
    async (perPage) => {
      for (const orientation of ['portrait', 'landscape'] as const) {
        const photos = Array.from({ length: 3 * perPage }, (_, n) =>
          n % 2 === 0 ? photo(n) : photo(n, 1200, 1600),
        );
        const document = reportDocument([], {
          page: { size: 'A4', orientation },
          photos,
          appendix: { heading: { anchor: 'photos', text: 'Photos' }, perPage, photos, elsewhere: [] },
        });
        const { tags } = await read(document);
        const counts = tags.map((page) => page.filter((tag) => tag.startsWith('Figure: Photo')).length);
        // The last row stands with the closing.
        const full = counts.filter((count) => count === perPage).length;
        expect(full).toBeGreaterThanOrEqual(2);
        expect(Math.max(...counts)).toBe(perPage);
      }
    },
  );

  it.each([
    ['an address', `https://intranet.example/${'0123456789abcdef'.repeat(6)}`],
    ['wide letters', 'W'.repeat(100)],
    ['as many wide letters as a line nearly has', 'W'.repeat(38)],
    ['letters of Georgia', 'ა'.repeat(100)],
    ['letters of Arabia', 'م'.repeat(100)],
    ['words with spaces that do not break', 'x\u00a0y'.repeat(50)],
  ])('breaks %s before the edge, wherever it stands', async (_name, text) => {
    const documents = [findingsWithActions(), corrected(), extinguishers(2)].map((payload) =>
      documentOf(withText(payload, text)),
    );
    // The blocks of all of them stand in one report as they stand in their own.
    const [one] = documents;
    const together = [{ ...one!, blocks: documents.flatMap(({ blocks }) => blocks) }];
    const pdfs = [];
    for (const document of scaled(together, documents))
      pdfs.push((await renderPdf(document, { images: new Map() }, LIMITS)).pdf);
    const beyond = (await readPdfs(pdfs)).flatMap(({ extents }, index) =>
      extents.flatMap(({ left, right, width }, page) =>
        left < 30 || right > width - 30 ? [{ index, page: page + 1, left, right }] : [],
      ),
    );
    expect(beyond).toEqual([]);
  });

  it('begins with the masthead where there is no cover, on Letter in landscape', async () => {
    const { pages, size } = await read(
      reportDocument(sections(item(1)), {
        cover: null,
        page: { size: 'Letter', orientation: 'landscape' },
      }),
    );
    expect(size).toEqual({ width: 792, height: 612 });
    expect(pages).toHaveLength(1);
    expect(pages[0]).toContain('Page 1 of 1');
    expect(pages[0]).toContain('No. 128');
  });

  it.each(['portrait', 'landscape'] as const)(
    'has a cover of one page for a title of 500 characters and 18 facts, in %s',
    async (orientation) => {
      const document = reportDocument(sections(item(1)), { page: { size: 'A4', orientation } });
      const { cover } = document;
      cover!.title = LONG_TEXT.slice(0, 500);
      cover!.facts = [...cover!.facts, ...cover!.facts, ...cover!.facts];
      const { pages } = await read(document);
      expect(unwrapped(pages[0]!.replaceAll('-\n', ''))).toContain(unwrapped(cover!.title));
      expect(pages[1]).toContain('Record');
    },
  );

  it('draws a box with its words for an image that is not there, and a block twice, where links lead to the first', async () => {
    const document = everyBlock();
    const twice = document.blocks.filter(({ kind }) => kind === 'findings' || kind === 'sections');
    document.blocks.push(...twice);
    const { pdf, warnings, headings } = await renderPdf(document, { images: new Map() }, LIMITS);
    expect(warnings).toEqual([]);
    expect(headings.filter(({ anchor }) => anchor === 'finding-1')).toHaveLength(1);
    const { pages } = await readPdf(pdf);
    expect(unwrapped(pages.join(''))).toContain(unwrapped('Photo 1: as it was found'));
    expect(pages[0]).toContain(document.cover!.organization);
  });
});
