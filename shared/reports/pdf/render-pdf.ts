import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OutOfTime } from '../../base/time-limit.ts';
import type { ReportDocument } from '../document/document.ts';
import type { Drawn, HeadingPosition } from './draw-pdf.ts';
import { drawingProgram } from './runtime.ts';
import { type PdfContents, inWorkspace } from './workspace.ts';

/** The most memory of the drawing process, in bytes. 100 photos over a whole page each take about half of it. */
const MAX_MEMORY_BYTES = 1_200 * 2 ** 20;
/** How often its memory is measured, in milliseconds. */
const MEASURE_EVERY_MS = 50;
/** The most characters of its error output that are kept. */
const MAX_ERROR_LENGTH = 4_000;

/** The size of a page of memory on x86-64, in bytes. */
const MEMORY_PAGE_BYTES = 4096;

/** The report needed more memory than it may have. */
export class OutOfMemory extends Error {
  override name = 'OutOfMemory';
}

/** The resident memory of a process, in bytes (proc(5), statm); 0 once it has ended, or on a system without /proc. */
const memoryOf = async (pid: number): Promise<number> => {
  const statm = await readFile(`/proc/${pid}/statm`, 'utf8').catch(() => '');
  return Number(statm.split(' ')[1] ?? 0) * MEMORY_PAGE_BYTES;
};

/** Limits of a program. */
export interface Limits {
  /** Milliseconds. */
  within: number;
  /** Bytes. */
  memory?: number;
}

/**
 * Runs a program of Node in a process of its own, and kills it at its limits. It inherits no variable, so it knows no
 * credential. Its proxies do not exist, so Typst cannot fetch a package even if a template names one.
 * @throws OutOfTime, OutOfMemory; Error with the program's own words when it fails
 */
export const runWithin = async (
  program: string,
  folder: string,
  { within, memory = MAX_MEMORY_BYTES }: Limits,
): Promise<void> => {
  const child = spawn(process.execPath, [program, folder], {
    cwd: folder,
    env: { HTTP_PROXY: 'http://127.0.0.1:9', HTTPS_PROXY: 'http://127.0.0.1:9' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let reason: Error | undefined;
  const kill = (error: Error): void => {
    reason ??= error;
    child.kill('SIGKILL');
  };
  let words = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    words = (words + part).slice(0, MAX_ERROR_LENGTH);
  });
  const timer = setTimeout(
    () => kill(new OutOfTime(`the report was not drawn within ${within} ms`)),
    Math.max(0, within),
  );
  const watch = setInterval(() => {
    void memoryOf(child.pid!).then((bytes) => {
      if (bytes > memory) kill(new OutOfMemory(`drawing the report took more than ${memory} bytes`));
    });
  }, MEASURE_EVERY_MS);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject).on('close', resolve);
    });
    if (reason) throw reason;
    if (code !== 0) throw new Error(`the report could not be drawn: ${words.trim() || `exit code ${code}`}`);
  } finally {
    clearTimeout(timer);
    clearInterval(watch);
  }
};

export interface RenderedPdf {
  pdf: Buffer;
  pageCount: number;
  /** In the order of the document. */
  headings: HeadingPosition[];
  /** One text for each character that the fonts lack. */
  warnings: string[];
}

/**
 * Draws a report as a PDF/A-3a (ISO 19005-3): tagged, with its outline, and with the payload attached. Equal input
 * gives equal bytes. The texts of the document are drawn as text, whatever they contain, and reach neither files nor
 * the network. An image that is missing in the contents becomes a box with its caption.
 * @throws OutOfTime or OutOfMemory at a limit; Error when there is no native build of Typst for this machine
 */
export const renderPdf = async (
  document: ReportDocument,
  contents: PdfContents,
  limits: Limits,
): Promise<RenderedPdf> => {
  const { result, warnings } = await inWorkspace(document, contents, async (folder) => {
    await runWithin(drawingProgram(), folder, limits);
    const pdf = await readFile(join(folder, 'report.pdf'));
    return { pdf, drawn: JSON.parse(await readFile(join(folder, 'drawn.json'), 'utf8')) as Drawn };
  });
  const { pageCount, headings, notArchival } = result.drawn;
  return {
    pdf: result.pdf,
    pageCount,
    headings,
    warnings: [...warnings, ...(notArchival === null ? [] : [`The PDF is not PDF/A-3: ${notArchival}`])],
  };
};
