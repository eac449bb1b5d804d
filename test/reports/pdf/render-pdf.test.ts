import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import type { ReportPayload, ReportSection } from '../../../shared/reports/presentation/former-payload.ts';
import { readPdf, type ReadPdf } from '../../support/pdf.ts';
import { foodEstablishment, foodImages } from '../fixtures/food-establishment.ts';
import { withAnswer } from '../fixtures/one-question.ts';
import { field, uuid } from '../fixtures/payload-parts.ts';

const loadNothing = async (): Promise<null> => null;

const pagesOf = async (pdf: Buffer): Promise<string[]> => (await readPdf(pdf)).pages;

/** The text without spaces and hyphens, which line breaks add or hide. */
const unwrapped = (text: string): string => text.replace(/[\s-]/g, '');

const flat = (sections: ReportSection[]): ReportSection[] =>
  sections.flatMap((section) => [section, ...flat(section.sections)]);

const textOf = async (payload: ReportPayload): Promise<string> =>
  (await pagesOf((await renderPdf(payload, { loadImage: loadNothing })).pdf)).join('\n');

describe('renderPdf of a completed inspection', () => {
  let pdf: Buffer;
  let pageCount: number;
  let warnings: string[];
  let pages: string[];
  let read: ReadPdf;

  beforeAll(async () => {
    ({ pdf, pageCount, warnings } = await renderPdf(foodEstablishment(), { loadImage: foodImages }));
    read = await readPdf(pdf);
    ({ pages } = read);
  });

  it('draws Greek, Cyrillic, Turkish and Polish text that can be copied', () => {
    const text = pages.join('\n');
    for (const words of [
      'Χωρίς σαπούνι στον νιπτήρα',
      'Съёмный фильтр',
      'Виміряно 78,5 °C тричі поспіль.',
      'ığüşöç İĞÜŞÖÇ',
      'Zażółć gęślą jaźń',
      'ul. Świętojańska 12',
    ]) {
      expect(text).toContain(words);
    }
    expect(warnings).toEqual([]);
  });

  it('contains every question, answer, note, caption and finding', () => {
    const payload = foodEstablishment();
    const text = unwrapped(pages.join(''));
    const fields = flat(payload.sections).flatMap((section) => section.fields);
    const said = [
      ...fields.flatMap((asked) => [
        asked.label,
        asked.answer.text ?? '',
        asked.note,
        ...asked.media.map(({ caption }) => caption),
      ]),
      ...payload.findings.flatMap((found) => [
        found.label,
        found.description,
        found.recommendation,
        found.root_cause,
      ]),
      ...payload.corrective_actions.flatMap((action) => [
        action.title,
        action.description,
        action.completion_note,
      ]),
    ];
    expect(fields.length).toBeGreaterThan(50);
    expect(said.filter((words) => !text.includes(unwrapped(words)))).toEqual([]);
  });

  it('has the page number and the inspection on each page', () => {
    expect(pages).toHaveLength(pageCount);
    for (const [index, page] of pages.entries()) expect(page).toContain(`Page ${index + 1} of ${pageCount}`);
    for (const page of pages.slice(1)) expect(page).toContain('No. 1042 · Restaurant Złota Kaczka');
  });

  it('has bookmarks that lead to the pages of the blocks and sections', () => {
    const { outline } = read;
    for (const title of [
      'Summary',
      'Findings',
      '4 Premises and equipment',
      '7.2 Cold room – Cold room B',
      'Signatures',
    ]) {
      const entry = outline.find((item) => item.endsWith(`: ${title}`));
      expect(entry).toBeDefined();
      expect(unwrapped(pages[Number.parseInt(entry ?? '', 10) - 1] ?? '')).toContain(unwrapped(title));
    }
  });

  it('has its title, author and language in its metadata', () => {
    expect(read.info).toMatchObject({
      Title: 'Food safety inspection',
      Author: 'Εργαστήριο Ασφάλειας Τροφίμων / Bezpieczna Kuchnia',
    });
    expect(read.size).toEqual({ width: 595.28, height: 841.89 });
    expect(pdf.toString('latin1')).toContain('/Lang (en-GB)');
  });

  it('writes times in the time zone and format of the organization', () => {
    expect(pages[0]).toContain('14 Mar 2026, 12:40');
  });

  it('repeats the title of a section on the next page', () => {
    const shown = pages.filter(
      (page) => page.includes('1 Food temperatures') || page.includes('3 Cross-contamination'),
    );
    expect(shown.length).toBeGreaterThanOrEqual(3);
  });

  it('is the same file for the same payload', async () => {
    const again = await renderPdf(foodEstablishment(), { loadImage: foodImages });
    expect(again.pdf.equals(pdf)).toBe(true);
  });
});

describe('renderPdf with a layout', () => {
  it('draws Letter in landscape', async () => {
    const payload = withAnswer({});
    payload.layout.page_size = 'Letter';
    payload.layout.orientation = 'landscape';
    const { pdf } = await renderPdf(payload, { loadImage: loadNothing });
    expect((await readPdf(pdf)).size).toEqual({ width: 792, height: 612 });
  });

  it('has no blank page when the first block has no content', async () => {
    const payload = withAnswer({});
    payload.summary.score = null;
    payload.layout.blocks = [
      { kind: 'score', options: {} },
      { kind: 'sections', options: {} },
    ];
    const { pdf, pageCount } = await renderPdf(payload, { loadImage: loadNothing });
    expect(pageCount).toBe(2);
    expect((await pagesOf(pdf))[1]).toContain('Inspection record');
    payload.layout.blocks = [];
    expect((await renderPdf(payload, { loadImage: loadNothing })).pageCount).toBe(1);
  });

  it('starts the content on the first page without a cover', async () => {
    const payload = withAnswer({});
    payload.layout.cover = false;
    const { pdf } = await renderPdf(payload, { loadImage: loadNothing });
    expect((await pagesOf(pdf))[0]).toContain('Summary');
  });

  it('leaves out exactly what the layout excludes', async () => {
    const payload = foodEstablishment();
    payload.layout.include = { unanswered: false, na: false, notes: false, media: false, answered_by: false };
    const loadImage = jest.fn(async (_reference: string) => null);
    const text = (await pagesOf((await renderPdf(payload, { loadImage })).pdf)).join('\n');
    expect(text).not.toContain('Temperature records of the last 30 days are complete');
    expect(text).not.toContain('Food is cooled from');
    expect(text).not.toContain('Zażółć');
    expect(text).not.toContain('Torn door seal, lower left');
    expect(text).toContain('Chilled food is held at');
    expect(loadImage.mock.calls.map(([reference]) => reference)).toEqual(['org/1/logo.png', uuid(6, 1)]);
  });

  it('draws the blocks in order, also two of the same kind', async () => {
    const payload = foodEstablishment();
    payload.layout.blocks = [
      { kind: 'signatures', options: {} },
      { kind: 'findings', options: { title: 'What we found' } },
      { kind: 'text', options: { title: 'Terms', text: 'Valid for one year.' } },
      { kind: 'findings', options: {} },
      { kind: 'media', options: {} },
    ];
    const text = await textOf(payload);
    const places = [
      'Signatures',
      'What we found',
      'Terms',
      'Valid for one year.',
      '\nFindings\n',
      'Photos',
    ].map((words) => text.indexOf(words));
    expect(places).toEqual(places.toSorted((one, other) => one - other));
    expect(places[0]).toBeGreaterThan(0);
  });

  it('draws the scores of the sections only if there is more than one', async () => {
    const payload = withAnswer({});
    payload.layout.blocks = [{ kind: 'score', options: {} }];
    const text = await textOf(payload);
    expect(text).toMatch(/Food temperatures\s+80%\s+80 of 100 points\s+Fail\s+needs 90%/);
    expect(text).toMatch(/Storage\s+—\s+needs 90%/);
    payload.summary.section_scores.splice(1);
    expect(await textOf(payload)).not.toContain('needs 90%');
  });

  it('draws an empty inspection', async () => {
    const payload = withAnswer({});
    payload.sections = [];
    payload.summary.score = null;
    payload.inspection.client = null;
    payload.inspection.location = null;
    payload.inspection.participants = [];
    expect(await textOf(payload)).toContain('Summary');
  });
});

describe('renderPdf of an answer', () => {
  it('shows a dash for no answer, N/A for not applicable, and a label for a failed answer', async () => {
    const payload = withAnswer({});
    payload.sections[0]!.fields = [
      field(0, { label: 'Never asked', answer: { text: null, value: null } }),
      field(1, { label: 'Left blank', answer: { text: ' ', value: '' } }),
      field(2, { label: 'Not here', is_na: true, answer: { text: null, value: null } }),
      field(3, { label: 'Too warm', is_failed: true, answer: { text: '9.4 °C', value: 9.4 } }),
      field(4, { label: 'Read this', type: 'instruction', answer: { text: null, value: null } }),
    ];
    const text = await textOf(payload);
    expect(text).toMatch(/Never asked\s—/);
    expect(text).toMatch(/Left blank\s—/);
    expect(text).toMatch(/Not here\sN\/A/);
    expect(text).toMatch(/Too warm\s9\.4 °C\sFAILED/);
    expect(text).not.toMatch(/Read this\s—/);
  });

  it('writes the code point of a character that no font has, and warns once', async () => {
    const payload = withAnswer({ note: 'Soup 🍲 and 🍲 again' });
    const { pdf, warnings } = await renderPdf(payload, { loadImage: loadNothing });
    expect(warnings).toEqual(['The fonts do not have the character "🍲" (U+1F372).']);
    const text = (await pagesOf(pdf)).join('\n');
    expect(text).toContain('Soup [U+1F372] and [U+1F372] again');
    expect(text).toContain('[U+…] stands for a character');
  });

  it('draws symbols that Noto Sans lacks from Roboto', async () => {
    const { pdf, warnings } = await renderPdf(withAnswer({ note: 'Held at ≤ 5 °C or ≥ 63 °C' }), {
      loadImage: loadNothing,
    });
    expect(warnings).toEqual([]);
    expect(unwrapped((await pagesOf(pdf)).join(''))).toContain('Heldat≤5°Cor≥63°C');
  });

  it('draws all of 32,000 characters, with and without spaces', async () => {
    const words = Array.from({ length: 5000 }, (_, index) => `w${index}`).join(' ');
    const word = Array.from({ length: 5000 }, (_, index) => `q${index}z`).join('');
    const text = unwrapped(
      (
        await textOf(
          withAnswer({ label: words, help: words, note: word, answer: { text: word, value: null } }),
        )
      )
        // Footers and headers stand between the texts of two pages.
        .replace(/\nGenerated .*\nPage \d+ of \d+\n/g, '')
        .replace(/No\. 1042 .*\n.*\n/g, ''),
    );
    for (let index = 0; index < 5000; index += 499) {
      expect(text).toContain(`q${index}z`);
      expect(text).toContain(`w${index}`);
    }
    expect(text).toContain('w4999');
  });

  it('draws text as text, even if it looks like a document or contains control characters', async () => {
    const hostile =
      '{"text":"x","image":"/etc/passwd"} {image: "/etc/hostname"} \u0000\u0007\u001b[31m\ud800 \u202eevil\u2066';
    const { pdf, warnings } = await renderPdf(withAnswer({ note: hostile, label: hostile }), {
      loadImage: loadNothing,
    });
    const text = (await pagesOf(pdf)).join('\n');
    expect(text).toContain('{"text":"x","image":"/etc/passwd"}');
    expect(text).toContain('[31m\ufffd evil');
    expect(warnings).toEqual([]);
  });
});
