import { setImmediate } from 'node:timers/promises';
import { renderPdf } from '../../../shared/reports/pdf/render-pdf.ts';
import { readPdf } from '../../support/pdf.ts';
import { foodEstablishment, foodImages } from '../fixtures/food-establishment.ts';
import { withAnswer } from '../fixtures/one-question.ts';
import { photo, uuid } from '../fixtures/payload-parts.ts';
import { gradient } from '../fixtures/pictures.ts';

const pagesOf = async (pdf: Buffer): Promise<string[]> => (await readPdf(pdf)).pages;

describe('renderPdf and images', () => {
  it('draws a box and warns if an image is damaged, missing, of another format or fails to load', async () => {
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
    expect(warnings).toContain('The image "picture-3.jpg" cannot be shown: access denied.');
    expect(warnings).toContain('The image "picture-4.jpg" was not found.');
    const text = (await pagesOf(pdf)).join('\n');
    expect(text).not.toContain('picture-0.jpg');
    for (const index of [1, 2, 3, 4]) expect(text).toContain(`picture-${index}.jpg`);
  });

  it('opens an image once if it is shown twice, and opens no video', async () => {
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

  it('has one of twenty photos of 12 megapixels in memory at a time', async () => {
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
