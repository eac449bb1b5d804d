import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflateSync } from 'node:zlib';

export interface ReadPdf {
  /** The text of each page, in drawing order. */
  pages: string[];
  /** `page: title` of each bookmark. Nested bookmarks follow their parents. */
  outline: string[];
  /** The size of the first page, in points. */
  size: { width: number; height: number };
  info: Record<string, unknown>;
}

/** Reads PDFs as a viewer does. This needs its own process, because jest cannot load PDF.js. */
export const readPdfs = async (documents: readonly Buffer[]): Promise<ReadPdf[]> => {
  const reading = promisify(execFile)('node', [join(import.meta.dirname, 'processes/read-pdf.ts')], {
    maxBuffer: 2 ** 26,
  });
  reading.child.stdin!.end(documents.map((bytes) => bytes.toString('base64')).join('\n'));
  return JSON.parse((await reading).stdout) as ReadPdf[];
};

export const readPdf = async (bytes: Buffer): Promise<ReadPdf> => (await readPdfs([bytes]))[0]!;

/** The code of the box that a typeface draws for a missing glyph. */
export const MISSING_GLYPH = '0000';

/** The codes of the glyphs in a PDF that pdfmake has made, four digits each. */
export const drawnCodes = (pdf: Buffer): string[] => {
  const source = pdf.toString('latin1');
  return [...source.matchAll(/\/FlateDecode\s*>>\s*stream\n/g)].flatMap(({ 0: opening, index }) => {
    const start = index + opening.length;
    const stream = pdf.subarray(start, source.indexOf('endstream', start));
    const content = inflateSync(stream).toString('latin1');
    return [...content.matchAll(/\[([^\]]*)\] TJ/g)].flatMap(([, shown = '']) =>
      [...shown.matchAll(/<([0-9a-f]+)>/g)].flatMap(([, codes = '']) => codes.match(/.{4}/g) ?? []),
    );
  });
};
