import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReportDocument } from '../document/document.ts';
import type { Drawn, HeadingPlace } from './draw-pdf.ts';
import { type Limits, runWithin } from './process.ts';
import { drawingProgram } from './runtime.ts';
import { type Contents, inWorkspace } from './workspace.ts';

export interface RenderedPdf {
  pdf: Buffer;
  pageCount: number;
  /** In the order of the document. */
  headings: HeadingPlace[];
  /** One text for each character that the fonts lack. */
  warnings: string[];
}

/**
 * Draws a report as a PDF/A-3a (ISO 19005-3): tagged, with its outline, and with the payload attached. Equal input gives
 * equal bytes. The texts of the document are drawn as text, whatever they contain, and reach neither files nor the
 * network. An image that is not among the contents becomes a box with its caption.
 * @throws OutOfTime or OutOfMemory at a limit; Error when there is no native build of Typst for this machine
 */
export const renderPdf = async (
  document: ReportDocument,
  contents: Contents,
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
