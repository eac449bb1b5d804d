import { PDFDocument } from 'pdf-lib';
import type * as Drawing from '../../shared/reports/pdf/render-pdf.ts';

/*
 * Stands for `render-pdf.ts` in tests of what becomes of a report, whatever it looks like: a PDF is one empty page. To
 * draw a report takes a second, and a process.
 */

export const { OutOfMemory, runWithin } = jest.requireActual<typeof Drawing>(
  '../../shared/reports/pdf/render-pdf.ts',
);

export const renderPdf: typeof Drawing.renderPdf = async () => {
  const pdf = await PDFDocument.create();
  pdf.addPage();
  return { pdf: Buffer.from(await pdf.save()), pageCount: 1, headings: [], warnings: [] };
};
