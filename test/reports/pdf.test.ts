import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { renderPdf } from '../../shared/reports/pdf.ts';
import { printer } from '../../shared/reports/pdf/typefaces.ts';
import type { ReportPayload, ReportSection } from '../../shared/schemas/reports/report-payload.ts';
import { drawnCodes, MISSING_GLYPH, type ReadPdf, readPdf } from '../support/pdf.ts';
import { field, foodEstablishment, foodImages, gradient, photo, uuid } from './food-establishment.ts';

const loadNothing = async (): Promise<null> => null;

const pagesOf = async (pdf: Buffer): Promise<string[]> => (await readPdf(pdf)).pages;

/** Without what wrapping a line adds or hides. */
const unwrapped = (text: string): string => text.replace(/[\s-]/g, '');

const flat = (sections: ReportSection[]): ReportSection[] =>
  sections.flatMap((section) => [section, ...flat(section.sections)]);

/** A report of one section, its one question changed. */
const withAnswer = (changes: Parameters<typeof field>[1]): ReportPayload => {
  const payload = foodEstablishment();
  payload.organization.logo = null;
  payload.findings = [];
  payload.corrective_actions = [];
  payload.signatures = [];
  payload.sections = [
    {
      id: uuid(3, 0),
      title: 'Kitchen',
      description: '',
      instance: null,
      fields: [field(0, changes)],
      sections: [],
    },
  ];
  return payload;
};

const textOf = async (payload: ReportPayload): Promise<string> =>
  (await pagesOf((await renderPdf(payload, { loadImage: loadNothing })).pdf)).join('\n');

describe('renderPdf of a finished inspection', () => {
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

  it('draws Greek, Cyrillic, Turkish and Polish so that they can be copied out', () => {
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

  it('holds every question, answer, note, caption and finding', () => {
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

  it('numbers each page of all and names the inspection on it', () => {
    expect(pages).toHaveLength(pageCount);
    for (const [index, page] of pages.entries()) expect(page).toContain(`Page ${index + 1} of ${pageCount}`);
    for (const page of pages.slice(1)) expect(page).toContain('No. 1042 · Restaurant Złota Kaczka');
  });

  it('has an outline of its blocks and sections that leads to their pages', () => {
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

  it('says in its metadata what it is, whose, and in which language', () => {
    expect(read.info).toMatchObject({
      Title: 'Food safety inspection',
      Author: 'Εργαστήριο Ασφάλειας Τροφίμων / Bezpieczna Kuchnia',
    });
    expect(read.size).toEqual({ width: 595.28, height: 841.89 });
    expect(pdf.toString('latin1')).toContain('/Lang (en-GB)');
  });

  it('writes times in the zone and the format of the organization', () => {
    expect(pages[0]).toContain('14 Mar 2026, 12:40');
  });

  it('repeats a section on the next page where it goes on', () => {
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

describe('renderPdf as the layout wants it', () => {
  it('draws Letter in landscape', async () => {
    const payload = withAnswer({});
    payload.layout.page_size = 'Letter';
    payload.layout.orientation = 'landscape';
    const { pdf } = await renderPdf(payload, { loadImage: loadNothing });
    expect((await readPdf(pdf)).size).toEqual({ width: 792, height: 612 });
  });

  it('leaves no page blank where the first blocks have nothing to show', async () => {
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

  it('begins on the first page without a cover', async () => {
    const payload = withAnswer({});
    payload.layout.cover = false;
    const { pdf } = await renderPdf(payload, { loadImage: loadNothing });
    expect((await pagesOf(pdf))[0]).toContain('Summary');
  });

  it('leaves out what is not included, and no more', async () => {
    const payload = foodEstablishment();
    payload.layout.include = { unanswered: false, na: false, notes: false, media: false };
    const loadImage = jest.fn(async (_reference: string) => null);
    const text = (await pagesOf((await renderPdf(payload, { loadImage })).pdf)).join('\n');
    expect(text).not.toContain('Temperature records of the last 30 days are complete');
    expect(text).not.toContain('Food is cooled from');
    expect(text).not.toContain('Zażółć');
    expect(text).not.toContain('Torn door seal, lower left');
    expect(text).toContain('Chilled food is held at');
    expect(loadImage.mock.calls.map(([reference]) => reference)).toEqual(['org/1/logo.png', uuid(6, 1)]);
  });

  it('draws blocks in their order, one kind twice too', async () => {
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

  it('draws how each scored section did, where there is more than one', async () => {
    const payload = withAnswer({});
    payload.layout.blocks = [{ kind: 'score', options: {} }];
    const text = await textOf(payload);
    expect(text).toMatch(/Food temperatures\s+80%\s+80 of 100 points\s+Fail\s+needs 90%/);
    expect(text).toMatch(/Storage\s+—\s+needs 90%/);
    payload.summary.section_scores.splice(1);
    expect(await textOf(payload)).not.toContain('needs 90%');
  });

  it('draws an inspection that has nothing yet', async () => {
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
  it('shows a dash for none, N/A for not applicable, and that one failed', async () => {
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

  it('spells a character without a glyph and warns of it once', async () => {
    const payload = withAnswer({ note: 'Soup 🍲 and 🍲 again' });
    const { pdf, warnings } = await renderPdf(payload, { loadImage: loadNothing });
    expect(warnings).toEqual(['no glyph for U+1F372 "🍲"']);
    const text = (await pagesOf(pdf)).join('\n');
    expect(text).toContain('Soup [U+1F372] and [U+1F372] again');
    expect(text).toContain('[U+…] stands for a character');
  });

  it('takes the signs that Noto Sans lacks from Roboto', async () => {
    const { pdf, warnings } = await renderPdf(withAnswer({ note: 'Held at ≤ 5 °C or ≥ 63 °C' }), {
      loadImage: loadNothing,
    });
    expect(warnings).toEqual([]);
    expect(unwrapped((await pagesOf(pdf)).join(''))).toContain('Heldat≤5°Cor≥63°C');
  });

  it('keeps all of 32,000 characters, with and without spaces', async () => {
    const words = Array.from({ length: 5000 }, (_, index) => `w${index}`).join(' ');
    const word = Array.from({ length: 5000 }, (_, index) => `q${index}z`).join('');
    const text = unwrapped(
      (
        await textOf(
          withAnswer({ label: words, help: words, note: word, answer: { text: word, value: null } }),
        )
      )
        // Headers and footers stand between the pages' ends and beginnings.
        .replace(/\nGenerated .*\nPage \d+ of \d+\n/g, '')
        .replace(/No\. 1042 .*\n.*\n/g, ''),
    );
    for (let index = 0; index < 5000; index += 499) {
      expect(text).toContain(`q${index}z`);
      expect(text).toContain(`w${index}`);
    }
    expect(text).toContain('w4999');
  });

  it('takes text that looks like a document or breaks lines as text', async () => {
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

describe('renderPdf and images', () => {
  it('draws a box and warns where an image is damaged, missing, unknown or fails to load', async () => {
    const whole = await gradient(800, 600, 10);
    const payload = withAnswer({
      media: [0, 1, 2, 3, 4].map((index) => ({ ...photo(index, ''), file_name: `picture-${index}.jpg` })),
    });
    const { pdf, warnings } = await renderPdf(payload, {
      loadImage: async (reference) => {
        const index = Number.parseInt(reference.slice(-12), 16);
        if (index === 3) throw new Error('access denied');
        return [
          whole,
          whole.subarray(0, whole.length / 2),
          Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
          null,
          null,
        ][index] as Buffer | null;
      },
    });
    expect(warnings).toHaveLength(4);
    expect(warnings).toContain('image "picture-3.jpg" cannot be shown: access denied');
    expect(warnings).toContain('image "picture-4.jpg" is missing');
    const text = (await pagesOf(pdf)).join('\n');
    expect(text).not.toContain('picture-0.jpg');
    for (const index of [1, 2, 3, 4]) expect(text).toContain(`picture-${index}.jpg`);
  });

  it('opens an image that is shown twice once, and never a video', async () => {
    const payload = foodEstablishment();
    payload.sections[1]?.fields[0]?.media.push({
      ...photo(99, 'Walk through'),
      mime_type: 'video/mp4',
      file_name: 'walk.mp4',
    });
    const opened: string[] = [];
    const { pdf } = await renderPdf(payload, {
      loadImage: async (reference) => {
        opened.push(reference);
        return foodImages(reference);
      },
    });
    expect(opened.filter((reference) => reference === uuid(2, 0))).toHaveLength(1);
    expect(opened).not.toContain(uuid(2, 99));
    expect((await pagesOf(pdf)).join('\n')).toContain('walk.mp4');
  });

  it('holds one of twenty photos of 12 megapixels at a time', async () => {
    const large = await gradient(4000, 3000, 200);
    const payload = withAnswer({
      media: Array.from({ length: 20 }, (_, index) => photo(index, `Photo ${index}`)),
    });
    const before = process.memoryUsage().rss;
    let most = before;
    let loading = 0;
    let together = 0;
    const { warnings } = await renderPdf(payload, {
      loadImage: async () => {
        most = Math.max(most, process.memoryUsage().rss);
        together = Math.max(together, ++loading);
        await setImmediate();
        loading -= 1;
        return large;
      },
    });
    expect(warnings).toEqual([]);
    expect(together).toBe(1);
    expect((most - before) / 2 ** 20).toBeLessThan(250);
  }, 30_000);
});

describe('renderPdf and the world outside', () => {
  it('fetches nothing that a payload names', async () => {
    let asked = 0;
    const server = createServer((_request, response) => {
      asked += 1;
      response.end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pixel.png`;
      const payload = withAnswer({
        label: url,
        note: url,
        help: url,
        answer: { text: url, value: url },
        media: [photo(0, url)],
      });
      payload.organization.logo = url;
      payload.report.title = url;
      await renderPdf(payload, { loadImage: loadNothing });
      expect(asked).toBe(0);
    } finally {
      server.close();
    }
  });

  it.each([
    ['a file', { content: [{ image: '/etc/hostname' }] }],
    ['a URL', { content: [{ image: 'remote' }], images: { remote: 'http://127.0.0.1:9/pixel.png' } }],
    ['a file as an attachment', { content: [], files: { passwd: { src: '/etc/passwd' } } }],
  ])('refuses a document that names %s', async (_kind, definition) => {
    const document = { ...definition, defaultStyle: { font: 'Noto Sans' } };
    await expect(printer().createPdf(document).getBuffer()).rejects.toThrow(/access policy/);
  });
});

describe('renderPdf of any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.constantFrom('', '\n\n', '__proto__', 'constructor', '{{', '\u2028', 'ﬁ', 'e\u0301\u0323'.repeat(50)),
    // fontkit fails on a mark of which Noto Sans Arabic does not say where it stands on the letter.
    fc.constantFrom('بفِ', 'ڋۖ'),
    fc.string({
      unit: fc.constantFrom(...Array.from('بفيلاِّۖ‌אבגָ12٣(]ক্রি র্কेिข้ำก温度かな한글፡ა ')),
      maxLength: 120,
    }),
  );

  it('never throws, and draws no box for want of a glyph', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 24, maxLength: 24 }), async (texts) => {
        let next = 0;
        const any = (): string => texts[next++ % texts.length] ?? '';
        const payload = foodEstablishment();
        payload.organization = {
          ...payload.organization,
          name: any(),
          locale: any(),
          timezone: any(),
          date_format: any(),
        };
        payload.report.title = any();
        payload.inspection.name = any();
        for (const named of [
          payload.inspection.client,
          payload.inspection.location,
          payload.inspection.template,
        ]) {
          if (named) named.name = any();
        }
        payload.layout.blocks.push({ kind: 'text', options: { title: any(), text: any() } });
        payload.findings = payload.findings
          .slice(0, 1)
          .map((found) => ({ ...found, label: any(), description: any() }));
        payload.corrective_actions = payload.corrective_actions
          .slice(0, 1)
          .map((action) => ({ ...action, title: any() }));
        payload.signatures = [
          { label: any(), signed_name: any(), signed_at: null, document_id: null, typed: any() },
        ];
        const asked = field(0, {
          label: any(),
          help: any(),
          note: any(),
          answer: { text: any(), value: null },
          media: [{ ...photo(0, any()), file_name: any() }],
        });
        payload.sections = [
          { id: any(), title: any(), description: any(), instance: any(), fields: [asked], sections: [] },
        ];
        const { pdf, pageCount } = await renderPdf(payload, { loadImage: loadNothing });
        expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
        expect(pageCount).toBeGreaterThan(1);
        expect(drawnCodes(pdf)).not.toContain(MISSING_GLYPH);
      }),
      { numRuns: 6 },
    );
  }, 60_000);
});
