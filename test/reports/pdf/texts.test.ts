import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { ReportDocument } from '../../../shared/reports/document/document.ts';
import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import { templateFolder } from '../../../shared/reports/pdf/runtime.ts';
import { readPdf } from '../../support/pdf.ts';
import { everyBlock, item, reportDocument, section, withTexts, words } from '../fixtures/documents.ts';
import { SCRIPTS } from '../fixtures/scripts.ts';

const draw = (document: ReportDocument) => renderPdf(document, { images: new Map() }, { within: 20_000 });

const withAnswers = (...texts: string[]): ReportDocument =>
  reportDocument([
    {
      kind: 'sections',
      heading: { anchor: 'record', text: 'Record' },
      photoColumns: 3,
      comparedWith: null,
      sections: [
        section(
          1,
          texts.map((text, index) => item(index, { answer: [words(text)], isLong: true })),
        ),
      ],
    },
  ]);

const textOf = async (document: ReportDocument): Promise<string> =>
  (await readPdf((await draw(document)).pdf)).pages.join('\n').replace(/\s+/g, ' ');

describe('texts that look like Typst', () => {
  it('stay texts, and read no file and import no package', async () => {
    const hostile = [
      '#read("/etc/passwd")',
      '#import "@preview/cetz:0.3.0": *',
      '#include "/drawing.json"',
      '$ x^2 $ *bold* _it_ `raw` @ref <label> // comment',
      '#eval("1 + 1") #sys.version \\u{41} ]][[',
    ];
    const text = await textOf(withAnswers(...hostile));
    for (const each of hostile) expect(text).toContain(each);
    expect(text).not.toContain('root:');
  });

  it('stay texts wherever they stand', async () => {
    const read = await readPdf((await draw(withTexts(everyBlock(), (old) => `#panic() ${old}`))).pdf);
    expect(read.pages.join('').match(/#panic\(\)/g)!.length).toBeGreaterThan(150);
    expect(read.info['Title']).toMatch(/^#panic\(\) /);
  });

  it('are never evaluated by the template, which imports nothing from outside', () => {
    for (const name of readdirSync(templateFolder())) {
      const source = readFileSync(join(templateFolder(), name), 'utf8');
      expect(source).not.toMatch(/\beval\s*\(|\bplugin\s*\(|@preview|@local|\binclude\b/);
      for (const [, path] of source.matchAll(/#import "([^"]*)"/g)) expect(path).toMatch(/^[a-z]+\.typ$/);
      for (const [, path] of source.matchAll(/\b(?:read|json|image)\(("[^"]*")/g)) {
        expect(path).toBe('"/drawing.json"');
      }
    }
  });

  it('with addresses cause no request', async () => {
    let requests = 0;
    const server = createServer((_request, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    try {
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pixel.png`;
      const document = withAnswers(url);
      document.cover!.logo = url;
      await draw(document);
      expect(requests).toBe(0);
    } finally {
      server.close();
    }
  });
});

describe('texts of every script', () => {
  it('are drawn without a missing glyph, long words within the margins', async () => {
    const { warnings, pdf } = await draw(withAnswers(...Object.values(SCRIPTS)));
    expect(warnings).toEqual([]);
    const text = (await readPdf(pdf)).pages.join('').replace(/\s/g, '');
    for (const name of ['Greek', 'Korean', 'Japanese', 'Chinese', 'Long word', 'URL', 'Path']) {
      expect(text).toContain(SCRIPTS[name]!.replace(/\s/g, ''));
    }
  });

  it('are mirrored as a whole in a report from right to left', async () => {
    const document = { ...withAnswers(SCRIPTS['Hebrew']!), language: 'he', direction: 'rtl' } as const;
    const read = await readPdf((await draw(document)).pdf);
    expect(read.language).toBe('he');
  });

  it('draws all of 32,000 characters without a space', async () => {
    const word = Array.from({ length: 5000 }, (_, index) => `q${index}z`).join('');
    const text = (await textOf(withAnswers(word)))
      .replace(/\s/g, '')
      .replaceAll(
        /Generatedon.*?version2Page\d+of\d+No\.128·Kitcheninspection,HarbourRestaurantNordicFoodSafety/g,
        '',
      );
    for (let index = 0; index < 5000; index += 499) expect(text).toContain(`q${index}z`);
  });
});

describe('characters that no font has', () => {
  it('are written as their code points, each with one warning, and the file stays PDF/A', async () => {
    const { pdf, warnings } = await draw(withAnswers('Temple \u{13000}, twice \u{13000}', 'Private \ue000'));
    expect(warnings).toEqual([
      'The fonts do not have the character "\u{13000}" (U+13000).',
      'The fonts do not have the character "\ue000" (U+E000).',
    ]);
    const { pages, conformance } = await readPdf(pdf);
    expect(pages.join('')).toContain('Temple [U+13000], twice [U+13000]');
    expect(conformance).toBe('3A');
  });

  it('are counted beyond forty', async () => {
    const { warnings } = await draw(
      withAnswers(String.fromCodePoint(...Array.from({ length: 45 }, (_, index) => 0x13000 + index))),
    );
    expect(warnings).toHaveLength(41);
    expect(warnings.at(-1)).toBe('The fonts do not have 5 more characters.');
  });

  it('are found in every text of a document', async () => {
    let next = 0x13000;
    const { warnings, pdf } = await draw(
      withTexts(everyBlock(), (old) => `${String.fromCodePoint(0x13000 + (next++ % 40))} ${old}`),
    );
    expect(warnings).toHaveLength(40);
    expect((await readPdf(pdf)).conformance).toBe('3A');
  });

  it('and control characters and lone surrogates do no harm', async () => {
    const text = await textOf(withAnswers('\u0000\u0007\u001b[31m\ud800 \u202eevil\u202c\ttab'));
    expect(text).toContain('[31m\ufffd evil tab');
  });
});
