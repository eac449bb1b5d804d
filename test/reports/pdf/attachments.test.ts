import { buildDocument } from '../../../shared/reports/document/build.ts';
import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import { openAttachments } from '../../../shared/reports/pdf/workspace.ts';
import { openReportImages } from '../../../shared/reports/presentation/images.ts';
import type { ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import { readPdf } from '../../support/pdf.ts';
import { findingsWithActions } from '../fixtures/hard-cases.ts';
import { fixtureImage, PDF_FILE } from '../fixtures/images.ts';

const certificate = Buffer.from('%PDF-1.7 a certificate');
const load = async (id: string) => (id === PDF_FILE ? certificate : null);

const withSize = (size_bytes: number): ReportPayload =>
  JSON.parse(
    JSON.stringify(findingsWithActions(), (_key, value: { document_id?: string } | null) =>
      value?.document_id === PDF_FILE ? { ...value, size_bytes } : value,
    ),
  ) as ReportPayload;

describe('files that a report shows', () => {
  it('are attached to its PDF by name, and the document says so', async () => {
    const payload = findingsWithActions();
    const files = await openAttachments(payload, load);
    const { images } = await openReportImages(payload, { loadImage: fixtureImage });
    const document = buildDocument(payload, { images, hash: null, attached: new Set(files.keys()) });
    expect(JSON.stringify(document)).toContain(', attached"');
    const { pdf, warnings } = await renderPdf(document, { images, payload: '{}', files }, { within: 20_000 });
    expect(warnings).toEqual([]);
    const { attachments } = await readPdf(pdf);
    expect(Object.entries(attachments).map(([name, content]) => [name, content.length])).toEqual(
      expect.arrayContaining([['1 Certificate of calibration 2026.pdf', certificate.length]]),
    );
  });

  it.each([
    [2_000_000, 1],
    [2_000_001, 0],
  ])('are only named where they are larger than the maximum: %i bytes', async (size, attached) => {
    expect((await openAttachments(withSize(size), load)).size).toBe(attached);
  });

  it('are only named once those before them have the size that all may have: 5,000,000 bytes', async () => {
    const ids = ['a', 'b', 'c', 'd'];
    const each = (media: { document_id?: string } | null) =>
      media?.document_id === PDF_FILE
        ? ids.map((document_id) => ({
            ...media,
            document_id,
            size_bytes: document_id === 'd' ? 1_000_000 : 2_000_000,
          }))
        : [media];
    const text = JSON.stringify(findingsWithActions(), (_key, value) =>
      Array.isArray(value) ? value.flatMap(each) : value,
    );
    const files = await openAttachments(JSON.parse(text) as ReportPayload, async (id) =>
      Buffer.alloc(id === 'd' ? 1_000_000 : 2_000_000),
    );
    expect([...files.keys()]).toEqual(['a', 'b', 'd']);
  });

  it('are left out where the layout shows no media, or the file is gone', async () => {
    const payload = findingsWithActions();
    const { layout } = payload;
    const without = { ...payload, layout: { ...layout, include: { ...layout.include, media: false } } };
    expect((await openAttachments(without, load)).size).toBe(0);
    expect((await openAttachments(payload, async () => null)).size).toBe(0);
  });
});
