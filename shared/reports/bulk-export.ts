import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import type { Caller } from '../base/caller.ts';
import { inspectionFileName, inspectionsFileName } from '../domain/report/file-name.ts';
import { putObject } from '../files/objects.ts';
import type { ExportFormat } from '../schemas/reports/report-export.ts';
import type { ReportPayload } from '../schemas/reports/report-payload.ts';
import type { ExportedFile, StoredBulkExport, StoredBulkItem } from '../table/entities/inspections.ts';
import { isOutage } from '../table/retry.ts';
import { layoutOrDefault } from '../templates/report-layouts.ts';
import {
  contentIn,
  type FileSource,
  lastingReason,
  makeFile,
  openStored,
  renderedReport,
  storedPayload,
  upload,
} from './export.ts';
import { bulkFile, bundleName, MEDIA_TYPES } from './files.ts';
import { archive } from './formats/archive.ts';
import type { ContentSource } from './formats/choices-sheet.ts';
import { answersCsv } from './formats/csv.ts';
import { reportWorkbook } from './formats/report-workbook.ts';
import { mergedReports } from './merged-reports.ts';
import { previewPayload } from './preview-payload.ts';
import { drawReport, reasonOf } from './render.ts';
import type { ReadyPart, ReadyParts } from './rows/bulk-exports.ts';
import * as bulk from './rows/bulk-exports.ts';
import { readReportMaterial } from './rows/report-material.ts';
import * as reports from './rows/reports.ts';

/** The one file of a bulk export. */
interface Bundle {
  content: Readable;
  contentType: string;
  filename: string;
}

/** Formats that are compressed already, and are stored in an archive as they are. */
const COMPRESSED: ReadonlySet<string> = new Set(['pdf', 'docx', 'xlsx', 'zip']);

const jsonArray = async function* (payloads: AsyncIterable<ReportPayload>): AsyncGenerator<string> {
  let isFirst = true;
  for await (const payload of payloads) {
    yield `${isFirst ? '[' : ','}\n${JSON.stringify(payload)}`;
    isFirst = false;
  }
  yield '\n]\n';
};

/** A part of the file as the worker finds it: its payload, and its file in the format of the export. */
interface Part {
  payload: () => Promise<ReportPayload>;
  open: () => Promise<Readable>;
}

/** The parts of many inspections as one file. Little more than one part is in memory at a time. */
const bundleOf = async (
  { format, bundle, created_at }: Pick<StoredBulkExport, 'format' | 'bundle' | 'created_at'>,
  { parts, timezone }: ReadyParts,
  partOf: (part: ReadyPart) => Part,
  contentOf: ContentSource,
): Promise<Bundle> => {
  const name = inspectionsFileName(created_at, timezone);
  if (bundle === 'zip') {
    const files = parts.map((part) => ({
      path: inspectionFileName(part.inspection, format),
      open: partOf(part).open,
      isCompressed: COMPRESSED.has(format),
    }));
    return {
      content: archive(files, new Date(created_at)),
      contentType: MEDIA_TYPES.zip,
      filename: `${name}.zip`,
    };
  }
  const payloads = async function* () {
    for (const part of parts) yield await partOf(part).payload();
  };
  const pdfs = async function* () {
    for (const part of parts) {
      const { payload, open } = partOf(part);
      yield { payload: await payload(), pdf: await buffer(await open()) };
    }
  };
  const { language } = (await partOf(parts[0]!).payload()).report;
  const merged: Partial<Record<typeof format, () => Readable>> = {
    pdf: () => mergedReports(pdfs(), { language, at: created_at }),
    xlsx: () => reportWorkbook(payloads(), { at: new Date(created_at), language, contentOf }),
    csv: () => answersCsv(payloads(), { isMerged: true }),
    json: () => Readable.from(jsonArray(payloads())),
  };
  // The request's schema refuses any other format.
  return { content: merged[format]!(), contentType: MEDIA_TYPES[format], filename: `${name}.${format}` };
};

/** Formats whose files are made of a payload while the one file is made. */
const OF_PAYLOADS: ReadonlySet<ExportFormat> = new Set<ExportFormat>(['csv', 'json', 'xlsx']);

/** Whether the file of a part takes long to make, so that it is made and stored before. */
const isMadeBefore = (format: ExportFormat, { report_id }: Pick<StoredBulkItem, 'report_id'>): boolean =>
  !OF_PAYLOADS.has(format) && !(format === 'pdf' && report_id !== null);

/** The storage keys of what an export keeps of an inspection: its file, and the payload of what is no stored report. */
const partFiles = (caller: Caller, { id, format }: StoredBulkExport, inspectionId: string) => ({
  file: bulkFile(caller, id, `${inspectionId}.${format}`),
  payload: bulkFile(caller, id, `${inspectionId}.payload.json.gz`),
});

/**
 * What the file of an inspection is made of. An export creates no report, which people would hear of: where no stored
 * one shows the present state, its payload is made and kept with the export.
 */
const sourceOf = async (
  caller: Caller,
  { stored }: bulk.HeldBulkExport,
  { inspection_id, report_id }: StoredBulkItem,
): Promise<{ source: FileSource; bytes: number }> => {
  if (report_id !== null) return { source: renderedReport(caller, report_id), bytes: 0 };
  const { material } = await readReportMaterial(caller, inspection_id, (family) =>
    layoutOrDefault(caller, family, stored.layout_id),
  );
  const payload = previewPayload(material, stored.language);
  const gzipped = gzipSync(JSON.stringify(payload));
  const key = partFiles(caller, stored, inspection_id).payload;
  await putObject(caller, key, gzipped, 'application/gzip');
  const openPdf = async () => Readable.from([(await drawReport(caller, payload)).pdf]);
  return { source: { payload: async () => payload, openPdf }, bytes: gzipped.length };
};

/** Makes the part of an inspection. It may be repeated. @returns the bytes that were stored for it */
const makePart = async (caller: Caller, work: bulk.HeldBulkExport, item: StoredBulkItem): Promise<number> => {
  const { stored } = work;
  item.report_id = (await reports.currentReport(caller, item.inspection_id, stored))?.id ?? null;
  const { source, bytes } = await sourceOf(caller, work, item);
  if (!isMadeBefore(stored.format, item)) return bytes;
  const { file } = partFiles(caller, stored, item.inspection_id);
  const content = await makeFile(caller, stored.format, source);
  const { size_bytes } = await upload(caller, file, content, MEDIA_TYPES[stored.format]);
  return bytes + size_bytes;
};

/**
 * Makes the part of one inspection.
 * @throws Error for a failure that may pass: an outage, another writer
 */
const makeItem = async (caller: Caller, work: bulk.HeldBulkExport, position: number): Promise<void> => {
  const mayBegin = await bulk.beginItem(caller, work, position);
  const item = work.items[position] as StoredBulkItem;
  const end = (error: string | null, bytes = 0) =>
    bulk.endItem(caller, work, position, { report_id: item.report_id, error }, bytes);
  if (!mayBegin) return end('The report could not be made, although it was tried several times.');
  let bytes: number;
  try {
    bytes = await makePart(caller, work, item);
  } catch (error) {
    if (isOutage(error) || bulk.isHeld(error)) throw error;
    return end((await bulk.isDeleted(caller, item)) ? bulk.DELETED : reasonOf(error));
  }
  return end(null, bytes);
};

/** A part of the file that is ready. */
const partOf = (caller: Caller, { stored }: bulk.HeldBulkExport, part: ReadyPart): Part => {
  const { file, payload } = partFiles(caller, stored, part.inspection_id);
  const source: FileSource =
    part.report_id === null
      ? { payload: () => storedPayload(caller, payload), openPdf: () => openStored(caller, file) }
      : renderedReport(caller, part.report_id);
  const open = async () => {
    if (isMadeBefore(stored.format, part)) return openStored(caller, file);
    // Each file says by itself of which inspection it is.
    if (stored.format === 'csv') return answersCsv([await source.payload()], { isMerged: true });
    return makeFile(caller, stored.format, source);
  };
  return { payload: source.payload, open };
};

/** Makes the one file of all parts that are ready. */
const makeBundle = async (caller: Caller, work: bulk.HeldBulkExport): Promise<void> => {
  const { stored } = work;
  const ready = await bulk.readyParts(caller, work);
  if (ready.parts.length === 0) {
    await bulk.end(caller, work, { status: 'failed', error: 'No report could be made. See the items.' });
    return;
  }
  const { content, contentType, filename } = await bundleOf(
    stored,
    ready,
    (part) => partOf(caller, work, part),
    contentIn(caller),
  );
  let file: ExportedFile;
  try {
    file = await upload(caller, bulkFile(caller, stored.id, bundleName(stored)), content, contentType);
  } catch (cause) {
    const error = lastingReason(cause);
    if (error === undefined) throw cause;
    await bulk.end(caller, work, { status: 'failed', error });
    return;
  }
  await bulk.end(caller, work, { status: 'ready', filename, ...file });
};

/**
 * Takes a turn at a bulk export: makes the missing parts, one after the other, and then the file. At the deadline,
 * the rest is left to another turn. It may be interrupted and repeated.
 * @param deadline epoch milliseconds
 * @param handedOn of the task; without it, the turn is taken in any case
 * @throws Error for a failure that may pass, and while another worker holds the export
 */
export const continueBulkExport = async (
  caller: Caller,
  id: string,
  deadline: number,
  handedOn?: number,
): Promise<void> => {
  const work = await bulk.begin(caller, id, handedOn);
  if (!work) return;
  try {
    let made = 0;
    for (const [position, item] of work.items.entries()) {
      if (typeof item !== 'string' && item.status !== 'running') continue;
      if (Date.now() > deadline) return await bulk.release(caller, work, true);
      await makeItem(caller, work, position);
      made += 1;
    }
    // The file gets a turn of its own, with all of its time.
    if (made > 0 && Date.now() > deadline) return await bulk.release(caller, work, true);
    return await makeBundle(caller, work);
  } catch (error) {
    // Whatever fails here, the lease ends by itself.
    await bulk.release(caller, work, false).catch(() => undefined);
    throw error;
  }
};

/**
 * Marks a bulk export as failed after the last attempt of its task. It may be repeated. An export that another worker
 * makes is left to that worker.
 * @param cause why the last attempt failed; undefined when its function may have crashed
 */
export const giveUpBulkExport = async (caller: Caller, id: string, cause?: unknown): Promise<void> => {
  if (bulk.isHeld(cause)) return;
  const now = new Date().toISOString();
  const work = await bulk.unended(caller, id, cause === undefined ? now : undefined);
  if (!work) return;
  await bulk.end(caller, work, {
    status: 'failed',
    error: 'The file could not be made. Request the export again.',
  });
};
