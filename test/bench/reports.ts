import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { renderPdf } from '../../shared/reports/pdf/render-pdf.ts';
import { type PdfContents, inWorkspace } from '../../shared/reports/pdf/workspace.ts';
import { preparePhoto } from '../../shared/reports/presentation/images.ts';
import { largeReport } from '../reports/fixtures/documents.ts';
import { noisyPhoto } from '../reports/fixtures/pictures.ts';
import { median, print, RATIO, ratio, rounded } from './table.ts';

const ROUNDS = 7;
/** What is around Typst: starting a process, cleaning texts, writing the workspace. */
const GOAL = 1.3;
/** Milliseconds. */
const WITHIN = 60_000;
const TYPST = join(import.meta.dirname, '../support/processes/typst-alone.ts');

/** Milliseconds of Typst's own calls, and the most memory of their process in MB, for the same report. */
const typstAlone = async (answers: number, contents: PdfContents): Promise<{ ms: number; mb: number }> => {
  const document = largeReport(answers, contents.images.size);
  const { result } = await inWorkspace(document, contents, async (folder) =>
    execFileSync(process.execPath, [TYPST, folder], { encoding: 'utf8' }),
  );
  return JSON.parse(result) as { ms: number; mb: number };
};

const contentsOf = async (photos: number): Promise<PdfContents> => {
  const image = await preparePhoto(await noisyPhoto(1600, 1200));
  // A byte after the end of a JPEG makes each one a picture of its own, as photos are.
  return {
    images: new Map(
      Array.from({ length: photos }, (_, index) => [
        `photo-${index}-1600x1200`,
        { ...image, data: Buffer.concat([image.data, Buffer.from([index])]) },
      ]),
    ),
  };
};

export const measure = async (): Promise<void> => {
  const lines = [];
  for (const [answers, photos] of [
    [200, 20],
    [2_000, 0],
    [200, 100],
  ] as const) {
    const contents = await contentsOf(photos);
    const whole: number[] = [];
    const alone: number[] = [];
    let mb = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const start = performance.now();
      await renderPdf(largeReport(answers, photos), contents, { within: WITHIN });
      whole.push(performance.now() - start);
      const typst = await typstAlone(answers, contents);
      alone.push(typst.ms);
      mb = Math.max(mb, typst.mb);
    }
    lines.push([
      `${answers} answers, ${photos} photos`,
      rounded(median(whole)),
      rounded(median(alone)),
      rounded(mb),
      ...ratio(median(whole), median(alone), GOAL),
    ]);
  }
  print(
    'reports: a PDF as it is rendered, compared with the calls of Typst alone',
    ['report', 'ms', 'ms of Typst', 'MB', ...RATIO],
    lines,
    'Photos of 1280 pixels with noise. Typst alone is timed in its process, after Node has started. Medians.',
  );
};
