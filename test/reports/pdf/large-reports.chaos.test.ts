import { buildDocument } from '../../../shared/reports/document/build.ts';
import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import type { Picture } from '../../../shared/reports/pdf/workspace.ts';
import { openReportImages, preparePhoto } from '../../../shared/reports/presentation/images.ts';
import { readPdf } from '../../support/pdf.ts';
import { largeReport } from '../fixtures/documents.ts';
import { extinguishers } from '../fixtures/hard-cases.ts';
import { fixtureImage } from '../fixtures/images.ts';
import { noisyPhoto } from '../fixtures/pictures.ts';

/** The most memory of the process that draws, in bytes. */
const GIGABYTE = 2 ** 30;

describe('large reports', () => {
  it('of 3,000 answers are drawn within 10 seconds', async () => {
    const { pdf, pageCount } = await renderPdf(
      largeReport(3_000, 0),
      { images: new Map() },
      { within: 10_000 },
    );
    expect(pageCount).toBeGreaterThan(100);
    expect((await readPdf(pdf)).pages).toHaveLength(pageCount);
  });

  it('of 120 instances with ten short answers and 60 photos have about thirty pages', async () => {
    const payload = extinguishers(120);
    const { images } = await openReportImages(payload, { loadImage: fixtureImage });
    const document = buildDocument(payload, { images, hash: null });
    const { pageCount } = await renderPdf(document, { images }, { within: 60_000 });
    expect(pageCount).toBeLessThanOrEqual(35);
  });

  it('of 100 photos of 12 megapixels are drawn within a gigabyte', async () => {
    const original = await noisyPhoto(4_000, 3_000);
    const images = new Map<string, Picture>();
    const before = process.memoryUsage().rss;
    for (let index = 0; index < 100; index += 1) {
      const image = await preparePhoto(original);
      images.set(`photo-${index}-1600x1200`, {
        mime: image.mime,
        // A byte after its end makes each file a picture of its own.
        data: Buffer.concat([image.data, Buffer.from([index])]),
      });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(GIGABYTE / 2);
    const limits = { within: 60_000, memory: GIGABYTE };
    const { pdf, pageCount } = await renderPdf(largeReport(200, 100), { images }, limits);
    expect(pageCount).toBeGreaterThan(50);
    expect(pdf.length).toBeGreaterThan(5_000_000);
  });
});
