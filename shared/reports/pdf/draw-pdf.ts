import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { layOut } from './typst.ts';

/** The page on which a heading stands, from 1. */
export interface HeadingPosition {
  anchor: string;
  page: number;
}

/** What the program writes, as the file `drawn.json` beside the PDF. */
export interface Drawn {
  pageCount: number;
  headings: HeadingPosition[];
  /** Why the PDF is not PDF/A-3a; null where it is. */
  notArchival: string | null;
}

// Typst's calls cannot be interrupted, so they run in this program, which can be killed. It draws one report and ends,
// which frees all memory that Typst keeps.
const [folder = '.'] = process.argv.slice(2);
const { compiler, document, job } = layOut(folder);

const write = (pdfStandard?: string): void =>
  writeFileSync(
    join(folder, 'report.pdf'),
    compiler.pdf(document, { ...(pdfStandard && { pdfStandard }), creationTimestamp: job.createdAt }),
  );

let notArchival: Drawn['notArchival'] = null;
try {
  write('a-3a');
} catch (error) {
  // If the fonts lack a glyph, the report is still drawn, but not as PDF/A-3.
  notArchival = error instanceof Error ? error.message : String(error);
  write();
}
const [headings = []] = compiler.query(document, {
  selector: '<headings>',
  field: 'value',
}) as HeadingPosition[][];
const drawn: Drawn = { pageCount: document.numOfPages, headings, notArchival };
writeFileSync(join(folder, 'drawn.json'), JSON.stringify(drawn));
