import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ReportDocument } from '../document/document.ts';
import { FONT_FILES, fontPath } from '../fonts.ts';
import type { EmbeddedImage } from '../presentation/images.ts';
import { qrSvg } from '../qr-code.ts';
import type { Attachment } from './attachments.ts';
import { Drawable } from './drawable.ts';
import { linkable } from './links.ts';
import { templateFolder } from './runtime.ts';

/** What the template reads, as the file `drawing.json`. */
export interface Drawing {
  document: ReportDocument;
  /** The path of each image in the workspace, by its reference. */
  images: Record<string, string>;
  /** Font families in the order of preference. */
  families: string[];
  /** The path of the payload that is attached, and of the QR code; null without one. */
  payload: string | null;
  qr: string | null;
  /** Files to attach, with their paths. */
  files: { name: string; mime: string; path: string }[];
}

/** What the program reads, as the file `job.json`. */
export interface Job {
  /** Absolute paths of font files. */
  fonts: readonly string[];
  /** Seconds since the epoch. */
  createdAt: number;
}

/** A picture that is ready to be embedded. */
export type Picture = Pick<EmbeddedImage, 'data' | 'mime'>;

/** The images of a report by their reference, and its payload as JSON. */
export interface Contents {
  images: ReadonlyMap<string, Picture>;
  /** Attached to the PDF as it is; nothing is attached when left out. */
  payload?: string;
  /** Attached as well; nothing when left out. */
  files?: ReadonlyMap<string, Attachment>;
}

/**
 * Fills a folder with everything that Typst reads for one report, and hands it to `work`; the folder is deleted after.
 * The names of all files are ours, so no text of a report becomes a path.
 * @returns the result of `work`, and a warning for each character that no font has
 */
export const inWorkspace = async <Result>(
  document: ReportDocument,
  { images, payload, files = new Map() }: Contents,
  work: (folder: string) => Promise<Result>,
): Promise<{ result: Result; warnings: string[] }> => {
  const folder = await mkdtemp(join(tmpdir(), 'report-'));
  const write = (name: string, data: string | Buffer): Promise<void> => writeFile(join(folder, name), data);
  try {
    await cp(templateFolder(), join(folder, 'template'), { recursive: true });
    await mkdir(join(folder, 'images'));
    const paths: Record<string, string> = {};
    for (const [reference, { data, mime }] of images) {
      const name = `images/${Object.keys(paths).length}.${mime === 'image/png' ? 'png' : 'jpg'}`;
      await write(name, data);
      paths[reference] = `/${name}`;
    }
    await mkdir(join(folder, 'files'));
    const attached: Drawing['files'] = [];
    for (const { name, mime, data } of files.values()) {
      const path = `files/${attached.length}`;
      await write(path, data);
      attached.push({ name, mime, path: `/${path}` });
    }
    const { qr } = document.closing;
    if (qr !== null) await write('qr.svg', qrSvg(qr));
    if (payload !== undefined) await write('payload.json', payload);
    const drawable = new Drawable(JSON.stringify(document), document.language);
    const drawing: Drawing = {
      document: drawable.value(linkable(document)),
      images: paths,
      families: drawable.families,
      payload: payload === undefined ? null : '/payload.json',
      qr: qr === null ? null : '/qr.svg',
      files: attached,
    };
    await write('drawing.json', JSON.stringify(drawing));
    const job: Job = {
      fonts: FONT_FILES.map(fontPath),
      createdAt: Math.floor(Date.parse(document.generatedAt) / 1000),
    };
    await write('job.json', JSON.stringify(job));
    return { result: await work(folder), warnings: drawable.warnings };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
