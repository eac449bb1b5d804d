import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import sharp from 'sharp';
import type { ReportDocument } from '../../../shared/reports/document/document.ts';
import { inWorkspace } from '../../../shared/reports/pdf/workspace.ts';
import { documentImages, everyBlock, withTexts } from '../fixtures/documents.ts';

/**
 * The pages as they were last looked at and found good. After a change that is meant, run
 * `RENEW_PAGES=1 npx jest test/reports/pdf/pages`, look at every picture that git shows as changed, and commit them.
 */
const STORED = join(import.meta.dirname, '../pages');
const IS_RENEWED = Boolean(process.env['RENEW_PAGES']);
/** Pixels. Wide enough to see lines of text, small enough to store. */
const WIDTH = 260;

/** How much the brightness of a page may differ, of 255 on average: other hardware rounds edges differently. */
const MAX_MEAN_DIFFERENCE = 0.5;

const ARABIC = [
  'فحص المطبخ',
  'درجة حرارة الثلاجة مرتفعة',
  'الجدران والأرضيات نظيفة',
  'تم التحقق',
  '3 مارس 2027',
];

/** The words of a document in Arabic, whatever they mean: only their direction matters. */
const mirrored = (document: ReportDocument): ReportDocument => ({
  ...withTexts(document, (old) => (/^[\d\s.,%:·-]*$/.test(old) ? old : ARABIC[old.length % ARABIC.length]!)),
  language: 'ar',
  direction: 'rtl',
  running: { ...document.running, pageOf: 'صفحة {page} من {pages}' },
});

const DOCUMENTS: Record<string, () => ReportDocument> = {
  upright: everyBlock,
  landscape: () => ({
    ...everyBlock(),
    appendix: null,
    page: { size: 'Letter', orientation: 'landscape' },
    color: '#8a6d1f',
    tint: '#fffbe6',
    draft: 'Draft',
  }),
  mirrored: () => mirrored({ ...everyBlock(), appendix: null }),
};

const pagesOf = async (document: ReportDocument): Promise<Buffer[]> => {
  const { result } = await inWorkspace(
    document,
    { images: await documentImages(document) },
    async (folder) => {
      const program = join(import.meta.dirname, '../../support/processes/draw-pages.ts');
      await promisify(execFile)('node', [program, folder, String(WIDTH)]);
      const count = readdirSync(folder).filter((name) => name.startsWith('page-')).length;
      return Array.from({ length: count }, (_, index) => readFileSync(join(folder, `page-${index + 1}.png`)));
    },
  );
  return result;
};

const meanDifference = async (one: Buffer, other: Buffer): Promise<number> => {
  const [first, second] = await Promise.all(
    [one, other].map((picture) => sharp(picture).greyscale().raw().toBuffer()),
  );
  if (first!.length !== second!.length) return 255;
  return first!.reduce((sum, value, index) => sum + Math.abs(value - second![index]!), 0) / first!.length;
};

describe.each(Object.entries(DOCUMENTS))('the pages of a report (%s)', (name, make) => {
  const stored = join(STORED, name);

  it('look as they did when they were last looked at', async () => {
    const pages = await pagesOf(make());
    if (IS_RENEWED) {
      rmSync(stored, { recursive: true, force: true });
      mkdirSync(stored, { recursive: true });
      for (const [index, page] of pages.entries()) {
        const small = await sharp(page).png({ palette: true, colours: 32, effort: 10 }).toBuffer();
        writeFileSync(join(stored, `${index + 1}.png`), small);
      }
    }
    const different: string[] = [];
    for (const [index, page] of pages.entries()) {
      const before = readFileSync(join(stored, `${index + 1}.png`));
      if ((await meanDifference(before, page)) <= MAX_MEAN_DIFFERENCE) continue;
      const seen = join(tmpdir(), `${name}-${index + 1}.png`);
      writeFileSync(seen, page);
      different.push(`page ${index + 1}: see ${seen}`);
    }
    expect(different).toEqual([]);
    expect(readdirSync(stored)).toHaveLength(pages.length);
  });
});
