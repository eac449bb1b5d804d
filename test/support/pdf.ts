import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface ReadPdf {
  /** The text of each page, in drawing order. */
  pages: string[];
  /** `page: title` of each bookmark, nested ones behind their parents. */
  outline: string[];
  /** Of the first page, in points. */
  size: { width: number; height: number };
  info: Record<string, unknown>;
}

/** Reads a PDF back as a viewer does; in a process of its own, for jest cannot load PDF.js. */
export const readPdf = async (bytes: Buffer): Promise<ReadPdf> => {
  const reading = promisify(execFile)('node', [join(import.meta.dirname, 'read-pdf.ts')], {
    maxBuffer: 2 ** 26,
  });
  reading.child.stdin!.end(bytes);
  return JSON.parse((await reading).stdout) as ReadPdf;
};
