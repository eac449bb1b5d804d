import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { safeName } from '../../domain/report/file-name.ts';
import type { ReportMedia } from '../../schemas/reports/report-answer.ts';
import type { ReportPayload } from '../../schemas/reports/report-payload.ts';
import type { ReportDocument } from '../document/document.ts';
import { shownMedia } from '../document/layout.ts';
import type { EmbeddedImage } from '../presentation/images.ts';
import { qrSvg } from '../qr-code.ts';
import { Drawable } from './drawable.ts';
import { FONT_FILES, fontPath, templateFolder } from './runtime.ts';

/** A file that is attached to the PDF. */
interface Attachment {
  /** The name in the list of attachments; unique in a PDF. */
  name: string;
  mime: string;
  data: Buffer;
}

/** Bytes of a file that is attached; a larger one is named only, and in the ZIP of the report. */
const MAX_FILE_BYTES = 2_000_000;

/** Bytes of all attached files, so that a report can still be mailed. */
const MAX_ATTACHED_BYTES = 5_000_000;

const FALLBACK_TYPE = 'application/octet-stream';

/** The type without parameters, as PDF/A-3 wants it (ISO 19005-3, section 6.8). */
const mimeOf = ({ mime_type }: ReportMedia): string =>
  /^[\w.+-]+\/[\w.+-]+/.exec(mime_type)?.[0] ?? FALLBACK_TYPE;

/** Every file that the report shows and that is no picture, each once. */
const filesOf = (payload: ReportPayload): ReportMedia[] => {
  const files = shownMedia(payload).filter(
    ({ mime_type, file_name }) => file_name !== null && !mime_type.startsWith('image/'),
  );
  return [...new Map(files.map((file) => [file.document_id, file])).values()];
};

/**
 * Loads the files that are attached to a PDF, by document id: all small files that the report shows.
 * @param load the bytes of a document; null where there is no such file
 */
export const openAttachments = async (
  payload: ReportPayload,
  load: (documentId: string) => Promise<Buffer | null>,
): Promise<Map<string, Attachment>> => {
  const attachments = new Map<string, Attachment>();
  let left = MAX_ATTACHED_BYTES;
  for (const [index, file] of filesOf(payload).entries()) {
    const { document_id, file_name, size_bytes } = file;
    if (size_bytes > Math.min(MAX_FILE_BYTES, left)) continue;
    const data = await load(document_id);
    if (!data || data.length > left) continue;
    left -= data.length;
    attachments.set(document_id, {
      name: `${index + 1} ${safeName(file_name ?? '', 'file')}`,
      mime: mimeOf(file),
      data,
    });
  }
  return attachments;
};

/** The most characters of a link's address, because of the limits of browsers and of PDF. */
const MAX_HREF_LENGTH = 2_000;

const isAddress = (href: string): boolean => href.length <= MAX_HREF_LENGTH && URL.canParse(href);

/** Whether an object of the document is a photo. The anchor of a photo is in the appendix or the gallery. */
const isPhoto = (value: object): boolean => 'reference' in value && 'size' in value;

/** The anchors of everything that is drawn, except photos. */
const anchorsIn = (value: unknown, anchors = new Set<string>()): Set<string> => {
  if (typeof value !== 'object' || value === null) return anchors;
  if ('anchor' in value && typeof value.anchor === 'string' && !isPhoto(value)) anchors.add(value.anchor);
  for (const member of Object.values(value)) anchorsIn(member, anchors);
  return anchors;
};

/**
 * The document with only the links that a PDF can hold. A link is dropped if its part is not in this document, or if
 * its address is too long or not valid; its text stays. If two blocks show the same part, links lead to the first.
 */
const linkable = (document: ReportDocument): ReportDocument => {
  const anchors = anchorsIn({ ...document, masthead: null });
  for (const gallery of [document.appendix, ...document.blocks.filter(({ kind }) => kind === 'media')]) {
    if (gallery && 'elsewhere' in gallery)
      for (const { anchor } of [...gallery.photos, ...gallery.elsewhere]) anchors.add(anchor);
  }
  const placed = new Set<string>();
  const isKept = (owner: object, name: string, value: string): boolean => {
    if (name === 'href') return isAddress(value);
    if (name === 'to' || name === 'from' || (name === 'anchor' && isPhoto(owner))) return anchors.has(value);
    if (name !== 'anchor') return true;
    const isFirst = !placed.has(value);
    placed.add(value);
    return isFirst;
  };
  const link = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(link);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => {
        if (typeof member !== 'string') return [name, link(member)];
        return [name, isKept(value, name, member) ? member : null];
      }),
    );
  };
  // The galleries and the blocks have the photos that are drawn.
  return link({ ...document, photos: [] }) as ReportDocument;
};

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
  /** The file of the template that is drawn; `main.typ` when left out. */
  main?: string;
}

/** A picture that is ready to be embedded. */
export type Picture = Pick<EmbeddedImage, 'data' | 'mime'>;

/** The images of a report by their reference, and its payload as JSON. */
export interface PdfContents {
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
  { images, payload, files = new Map() }: PdfContents,
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
