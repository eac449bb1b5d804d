import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface ReadPdf {
  /** The text of each page, in drawing order. */
  pages: string[];
  /** `page: title` of each bookmark. Nested bookmarks follow their parents. */
  outline: string[];
  /** The size of the first page, in points. */
  size: { width: number; height: number };
  /** Of each page, its width, and where its leftmost text begins and its rightmost text ends, in points. */
  extents: { width: number; left: number; right: number }[];
  info: Record<string, unknown>;
  /** `page: target` of each link: a URL, or the page it leads to. */
  links: string[];
  /** The part and level of PDF/A that the file claims ("3A"), its language, and whether it is tagged. */
  conformance: string;
  language: string;
  isTagged: boolean;
  /** The names of the tags on each page, with the alternative texts of figures ("Figure: Photo 1"). */
  tags: string[][];
  /** The text of each attached file, by its name. */
  attachments: Record<string, string>;
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
