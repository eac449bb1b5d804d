import { buildDocument } from '../../../shared/reports/document/build.ts';
import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import type { Picture } from '../../../shared/reports/pdf/workspace.ts';
import { openReportImages, preparePhoto } from '../../../shared/reports/presentation/images.ts';
import { readPdf } from '../../support/pdf.ts';
import { scaled } from '../../support/scale.ts';
import { largeReport } from '../fixtures/documents.ts';
import { extinguishers } from '../fixtures/hard-cases.ts';
import { fixtureImage } from '../fixtures/images.ts';
import { noisyPhoto } from '../fixtures/pictures.ts';

/** The most memory of the process that draws, in bytes. */
const GIGABYTE = 2 ** 30;

/** All the time that a timer has: a busy machine draws slowly. */
const UNTIL_DONE = { within: 2 ** 31 - 1 };

/** Photos that are made small one after the other. */
const PREPARED = scaled(10, 100);

describe('large reports', () => {
  it('of 3,000 answers are drawn with all their pages', async () => {
    const { pdf, pageCount } = await renderPdf(largeReport(3_000, 0), { images: new Map() }, UNTIL_DONE);
    expect(pageCount).toBeGreaterThan(100);
    expect((await readPdf(pdf)).pages).toHaveLength(pageCount);
  });

  it('of 120 instances with ten short answers and 60 photos have about thirty pages', async () => {
    const payload = extinguishers(120);
    const { images } = await openReportImages(payload, { loadImage: fixtureImage });
    const document = buildDocument(payload, { images, hash: null });
    const { pageCount } = await renderPdf(document, { images }, UNTIL_DONE);
    expect(pageCount).toBeLessThanOrEqual(35);
  });

  it('of 100 photos of 12 megapixels are drawn within a gigabyte', async () => {
    const original = await noisyPhoto(4_000, 3_000);
    const images = new Map<string, Picture>();
    const before = process.memoryUsage().rss;
    let image = await preparePhoto(original);
    for (let index = 0; index < 100; index += 1) {
      if (index < PREPARED) image = await preparePhoto(original);
      images.set(`photo-${index}-1600x1200`, {
        mime: image.mime,
        // A byte after its end makes each file a picture of its own.
        data: Buffer.concat([image.data, Buffer.from([index])]),
      });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(GIGABYTE / 2);
    const limits = { ...UNTIL_DONE, memory: GIGABYTE };
    const { pdf, pageCount } = await renderPdf(largeReport(200, 100), { images }, limits);
    expect(pageCount).toBeGreaterThan(50);
    expect(pdf.length).toBeGreaterThan(5_000_000);
  });
});
