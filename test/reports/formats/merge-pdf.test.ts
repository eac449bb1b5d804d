import { buffer } from 'node:stream/consumers';
import { PDFDocument } from 'pdf-lib';
import { type MergedFile, mergePdf } from '../../../shared/reports/formats/merge-pdf.ts';
import { readPdf } from '../../support/pdf.ts';

const pdfOf = async (pages: readonly string[], useObjectStreams: boolean): Promise<Uint8Array> => {
  const document = await PDFDocument.create();
  for (const text of pages) document.addPage([300, 200]).drawText(text, { x: 20, y: 100, size: 18 });
  return document.save({ useObjectStreams });
};

const documents = async function* (...all: readonly { title: string; pages: string[] }[]) {
  for (const [index, { title, pages }] of all.entries())
    yield { title, bytes: await pdfOf(pages, index % 2 === 0) };
};

const FILE: MergedFile = {
  title: 'Inspections',
  language: 'en',
  contents: async (pageCounts) => ({
    title: 'Contents',
    bytes: await pdfOf([`pages: ${pageCounts.join(', ')}`], true),
  }),
};

describe('merged PDFs', () => {
  it('have all pages in order, and an entry of the outline for each document', async () => {
    const merged = await buffer(
      mergePdf(
        documents(
          { title: '1 Kitchen', pages: ['first of kitchen', 'second of kitchen'] },
          { title: '2 Küche – 厨房', pages: ['only one'] },
          { title: '3 Bar', pages: ['bar'] },
        ),
        FILE,
      ),
    );
    const { pages, outline, isTagged, info } = await readPdf(merged);
    expect(pages.map((page) => page.trim())).toEqual([
      'pages: 2, 1, 1',
      'first of kitchen',
      'second of kitchen',
      'only one',
      'bar',
    ]);
    expect(outline).toEqual(['1: Contents', '2: 1 Kitchen', '4: 2 Küche – 厨房', '5: 3 Bar']);
    expect(info['Title']).toBe('Inspections');
    // These documents have no tags.
    expect(isTagged).toBe(false);
  });

  it('are written while they are read: a document is asked for when the one before is written', async () => {
    let asked = 0;
    const many = async function* () {
      for (let index = 0; index < 20; index += 1) {
        asked += 1;
        yield { title: String(index), bytes: await pdfOf(['x'.repeat(2_000)], true) };
      }
    };
    const stream = mergePdf(many(), FILE);
    await new Promise((resolve) => stream.once('readable', resolve));
    stream.read(10);
    expect(asked).toBeLessThan(20);
    stream.destroy();
  });

  it('fails when a document is no PDF', async () => {
    const broken = (async function* () {
      yield { title: 'x', bytes: Buffer.from('no PDF') };
    })();
    await expect(buffer(mergePdf(broken, FILE))).rejects.toThrow('No PDF header found');
  });
});
