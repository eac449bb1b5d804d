import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Language } from '../../base/i18n/languages.ts';
import { Drawable } from './drawable.ts';
import { runWithin } from './render-pdf.ts';
import { drawingProgram, FONT_FILES, fontPath } from './runtime.ts';
import type { Job } from './workspace.ts';

/** How long drawing may take, in milliseconds. */
const MAX_TIME = 20_000;

/** A document that is drawn from a few texts: a card, or the contents of many reports. */
interface Apart {
  language: Language;
  /** The folder of its Typst files. */
  template: string;
  /** The one that is drawn; `main.typ` when left out. */
  main?: string;
  /** What `drawing.json` has beside the families of fonts. */
  texts: Record<string, unknown>;
  /** Other files, by their names. */
  files?: Record<string, string>;
  /** Seconds since the epoch. */
  createdAt: number;
}

/** A document as a PDF/A-3a. Equal input gives equal bytes. @throws OutOfTime or OutOfMemory at a limit */
export const drawApart = async ({
  language,
  template,
  main,
  texts,
  files = {},
  createdAt,
}: Apart): Promise<Buffer> => {
  const folder = await mkdtemp(join(tmpdir(), 'apart-'));
  try {
    const drawable = new Drawable(JSON.stringify(texts), language);
    const drawing = { ...drawable.value(texts), families: drawable.families };
    const job: Job = { fonts: FONT_FILES.map(fontPath), createdAt, ...(main && { main }) };
    await Promise.all([
      cp(template, join(folder, 'template'), { recursive: true }),
      ...Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)),
      writeFile(join(folder, 'drawing.json'), JSON.stringify(drawing)),
      writeFile(join(folder, 'job.json'), JSON.stringify(job)),
    ]);
    await runWithin(drawingProgram(), folder, { within: MAX_TIME });
    return await readFile(join(folder, 'report.pdf'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
