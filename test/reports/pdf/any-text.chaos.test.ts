import fc from 'fast-check';
import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import { scaled } from '../../support/scale.ts';
import { everyBlock, withTexts } from '../fixtures/documents.ts';

describe('the PDF of any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.constantFrom('', '\n\n', '__proto__', 'constructor', '\u2028', 'ﬁ', 'e\u0301\u0323'.repeat(50)),
    fc.string({
      unit: fc.constantFrom(...Array.from('بفيلاِّۖ‌אבגָ12٣(]ক্রি র্কेिข้ำก温度かな한글፡ა ')),
      maxLength: 120,
    }),
  );

  it('is PDF/A', async () => {
    // A busy machine draws slowly, and may take as long as the test.
    const within = 2 ** 31 - 1;
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 24, maxLength: 24 }), async (texts) => {
        let next = 0;
        const document = withTexts(everyBlock(), () => texts[next++ % texts.length] ?? '');
        const { pdf, warnings } = await renderPdf(document, { images: new Map() }, { within });
        expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
        expect(warnings.filter((warning) => warning.includes('PDF/A'))).toEqual([]);
      }),
      { numRuns: scaled(10, 200) },
    );
  });
});
