import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

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

/** The process that reads, and its replies, one a line. It is started for the first PDF of a test file, and ends with it. */
let reader: { process: ChildProcess; replies: AsyncIterator<string> } | undefined;
/** The reader answers in order, so one question waits for the one before. */
let previous: Promise<unknown> = Promise.resolve();

afterAll(() => {
  reader?.process.stdin!.end();
  reader = undefined;
});

const startReader = () => {
  const process = spawn('node', [join(import.meta.dirname, 'processes/read-pdf.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return { process, replies: createInterface(process.stdout)[Symbol.asyncIterator]() };
};

/** Reads a PDF as a viewer does. This needs its own process, because jest cannot load PDF.js. */
export const readPdf = async (bytes: Buffer): Promise<ReadPdf> => {
  reader ??= startReader();
  const { process, replies } = reader;
  process.stdin!.write(`${bytes.toString('base64')}\n`);
  const reply = previous.then(() => replies.next());
  previous = reply;
  const { value, done } = await reply;
  if (done) throw new Error('The reader of PDFs has ended.');
  return JSON.parse(value) as ReadPdf;
};

export const readPdfs = (documents: readonly Buffer[]): Promise<ReadPdf[]> =>
  Promise.all(documents.map(readPdf));
