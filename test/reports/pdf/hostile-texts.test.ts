import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import { printer } from '../../../shared/reports/pdf/typefaces.ts';
import { MISSING_GLYPH, drawnCodes } from '../../support/pdf.ts';
import { foodEstablishment } from '../fixtures/food-establishment.ts';
import { withAnswer } from '../fixtures/one-question.ts';
import { field, photo } from '../fixtures/payload-parts.ts';

const loadNothing = async (): Promise<null> => null;

describe('renderPdf and access to files and URLs', () => {
  it('fetches no URL of a payload', async () => {
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
      expect(requests).toBe(0);
    } finally {
      server.close();
    }
  });

  it.each([
    ['a file', { content: [{ image: '/etc/hostname' }] }],
    ['a URL', { content: [{ image: 'remote' }], images: { remote: 'http://127.0.0.1:9/pixel.png' } }],
    ['a file as an attachment', { content: [], files: { passwd: { src: '/etc/passwd' } } }],
  ])('rejects a document that refers to %s', async (_kind, definition) => {
    const document = { ...definition, defaultStyle: { font: 'Noto Sans' } };
    await expect(printer().createPdf(document).getBuffer()).rejects.toThrow(/access policy/);
  });
});

describe('renderPdf of any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', maxLength: 60 }),
    fc.constantFrom('', '\n\n', '__proto__', 'constructor', '{{', '\u2028', 'ﬁ', 'e\u0301\u0323'.repeat(50)),
    // fontkit throws on a mark for which the Arabic font has no position on its letter.
    fc.constantFrom('بفِ', 'ڋۖ'),
    fc.string({
      unit: fc.constantFrom(...Array.from('بفيلاِّۖ‌אבגָ12٣(]ক্রি র্কेिข้ำก温度かな한글፡ა ')),
      maxLength: 120,
    }),
  );

  it('never throws, and never draws the box of a missing glyph', async () => {
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
