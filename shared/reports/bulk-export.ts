import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Caller } from '../base/caller.ts';
import * as bulk from '../db/reports/bulk-exports.ts';
import type { ReadyReports } from '../db/reports/bulk-exports.ts';
import * as reports from '../db/reports/reports.ts';
import type { ExportedFile, StoredBulkExport, StoredBulkItem } from '../db/table/entities/inspections.ts';
import { isOutage } from '../db/table/retry.ts';
import { inspectionFileName, inspectionsFileName } from '../domain/report/file-name.ts';
import type { ExportFormat } from '../schemas/reports/report-export.ts';
import type { ReportPayload } from '../schemas/reports/report-payload.ts';
import { lastingReason, makeFile, openStored, storedPayload, upload } from './export.ts';
import { bulkFile, bundleName, MEDIA_TYPES } from './files.ts';
import { archive } from './formats/archive.ts';
import { answersCsv } from './formats/csv.ts';
import { reportWorkbook } from './formats/report-workbook.ts';
import { mergedReports } from './merged-reports.ts';
import { giveUpReport, reasonOf, renderReport } from './render.ts';

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

/**
 * The reports of many inspections as one file. Little more than one report is in memory at a time.
 * @param openFile the file of one report in the format of the export
 */
const bundleOf = (
  caller: Caller,
  { format, bundle, created_at }: Pick<StoredBulkExport, 'format' | 'bundle' | 'created_at'>,
  { reports, timezone }: ReadyReports,
  openFile: (reportId: string) => Promise<Readable>,
): Bundle => {
  const name = inspectionsFileName(created_at, timezone);
  if (bundle === 'zip') {
    const files = reports.map(({ report_id, inspection }) => ({
      path: inspectionFileName(inspection, format),
      open: () => openFile(report_id),
      isCompressed: COMPRESSED.has(format),
    }));
    return {
      content: archive(files, new Date(created_at)),
      contentType: MEDIA_TYPES.zip,
      filename: `${name}.zip`,
    };
  }
  const payloads = async function* () {
    for (const { report_id } of reports) yield await storedPayload(caller, report_id);
  };
  const pdfs = async function* () {
    for (const { report_id } of reports) {
      const payload = await storedPayload(caller, report_id);
      yield { payload, pdf: await buffer(await openFile(report_id)) };
    }
  };
  const { language } = reports[0]!;
  const merged: Partial<Record<typeof format, () => Readable>> = {
    pdf: () => mergedReports(pdfs(), { language, at: created_at }),
    xlsx: () => reportWorkbook(payloads(), { at: new Date(created_at), language }),
    csv: () => answersCsv(payloads(), { isMerged: true }),
    json: () => Readable.from(jsonArray(payloads())),
  };
  // The request's schema refuses any other format.
  return { content: merged[format]!(), contentType: MEDIA_TYPES[format], filename: `${name}.${format}` };
};

/** Formats whose files take long to make. Each file is made together with its report. */
const MADE_BEFORE: ReadonlySet<ExportFormat> = new Set<ExportFormat>(['html', 'docx', 'zip']);

/** Renders a report to its end, unless it has one. @throws Error for an outage */
const settleReport = async (caller: Caller, inspectionId: string, reportId: string): Promise<void> => {
  try {
    await renderReport(caller, inspectionId, reportId);
  } catch (error) {
    if (isOutage(error)) throw error;
    // If the worker of single reports has ended it meanwhile, this changes nothing.
    await giveUpReport(caller, inspectionId, reportId, error);
  }
};

/**
 * Makes the report of an item, and its file if that takes long. A report that an earlier attempt has begun is
 * finished.
 * @returns why it failed, or null, and the bytes of the file
 */
const makeReport = async (
  caller: Caller,
  work: bulk.HeldBulkExport,
  position: number,
): Promise<{ error: string | null; bytes: number }> => {
  const { stored } = work;
  const item = work.items[position] as StoredBulkItem;
  if (item.report_id === null) {
    const report = await reports.freshOrNew(caller, item.inspection_id, stored, (made) =>
      bulk.noteReport(caller, work, position, made),
    );
    item.report_id = report.id;
  }
  await settleReport(caller, item.inspection_id, item.report_id);
  const { status, error } = await reports.get(caller, item.report_id);
  if (status !== 'ready') return { error: error ?? reasonOf(undefined), bytes: 0 };
  if (!MADE_BEFORE.has(stored.format)) return { error: null, bytes: 0 };
  const content = await makeFile(caller, stored.format, item.report_id);
  const key = bulkFile(caller, stored.id, item.report_id);
  const { size_bytes } = await upload(caller, key, content, MEDIA_TYPES[stored.format]);
  return { error: null, bytes: size_bytes };
};

/** Gives up the report of an item that was begun. No other worker would render it. */
const giveUpItem = async (
  caller: Caller,
  { inspection_id, report_id }: StoredBulkItem,
  cause?: unknown,
): Promise<void> => {
  if (report_id !== null) await giveUpReport(caller, inspection_id, report_id, cause);
};

/**
 * Makes the report of one inspection.
 * @throws Error for a failure that may pass: an outage, another writer
 */
const makeItem = async (caller: Caller, work: bulk.HeldBulkExport, position: number): Promise<void> => {
  const mayBegin = await bulk.beginItem(caller, work, position);
  const item = work.items[position] as StoredBulkItem;
  const end = (error: string | null, bytes = 0) =>
    bulk.endItem(caller, work, position, { report_id: item.report_id, error }, bytes);
  if (!mayBegin) {
    await giveUpItem(caller, item);
    return end('The report could not be made, although it was tried several times.');
  }
  let made: Awaited<ReturnType<typeof makeReport>>;
  try {
    made = await makeReport(caller, work, position);
  } catch (error) {
    if (isOutage(error) || bulk.isHeld(error)) throw error;
    return end((await bulk.isDeleted(caller, item)) ? bulk.DELETED : reasonOf(error));
  }
  return end(made.error, made.bytes);
};

/** Makes the one file of all reports that are ready. */
const makeBundle = async (caller: Caller, work: bulk.HeldBulkExport): Promise<void> => {
  const { stored } = work;
  const ready = await bulk.readyReports(caller, work);
  if (ready.reports.length === 0) {
    await bulk.end(caller, work, { status: 'failed', error: 'No report could be made. See the items.' });
    return;
  }
  const openFile = async (reportId: string): Promise<Readable> =>
    MADE_BEFORE.has(stored.format)
      ? openStored(caller, bulkFile(caller, stored.id, reportId))
      : makeFile(caller, stored.format, reportId);
  const { content, contentType, filename } = bundleOf(caller, stored, ready, openFile);
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
 * Takes a turn at a bulk export: makes the missing reports, one after the other, and then the file. At the deadline,
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
 * Marks a bulk export as failed after the last attempt of its task, and also the report that it was making. It may be
 * repeated. An export that another worker makes is left to that worker.
 * @param cause why the last attempt failed; undefined when its function may have crashed
 */
export const giveUpBulkExport = async (caller: Caller, id: string, cause?: unknown): Promise<void> => {
  if (bulk.isHeld(cause)) return;
  const now = new Date().toISOString();
  const work = await bulk.unended(caller, id, cause === undefined ? now : undefined);
  if (!work) return;
  for (const item of work.items) {
    if (typeof item !== 'string' && item.status === 'running') await giveUpItem(caller, item, cause);
  }
  await bulk.end(caller, work, {
    status: 'failed',
    error: 'The file could not be made. Request the export again.',
  });
};
