import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflateSync } from 'node:zlib';

export interface ReadPdf {
  /** The text of each page, in drawing order. */
  pages: string[];
  /** `page: title` of each bookmark, nested ones behind their parents. */
  outline: string[];
  /** Of the first page, in points. */
  size: { width: number; height: number };
  info: Record<string, unknown>;
}

/** Reads PDFs back as a viewer does; in a process of its own, for jest cannot load PDF.js. */
export const readPdfs = async (documents: readonly Buffer[]): Promise<ReadPdf[]> => {
  const reading = promisify(execFile)('node', [join(import.meta.dirname, 'read-pdf.ts')], {
    maxBuffer: 2 ** 26,
  });
  reading.child.stdin!.end(documents.map((bytes) => bytes.toString('base64')).join('\n'));
  return JSON.parse((await reading).stdout) as ReadPdf[];
};

export const readPdf = async (bytes: Buffer): Promise<ReadPdf> => (await readPdfs([bytes]))[0]!;

/** The code of the box that a typeface draws for want of a glyph. */
export const MISSING_GLYPH = '0000';

/** The codes of the glyphs that a PDF of pdfmake's draws, four digits each. */
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
