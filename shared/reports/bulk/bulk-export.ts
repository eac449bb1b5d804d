import type { Readable } from 'node:stream';
import type { Caller } from '../../base/caller.ts';
import * as bulk from '../../db/reports/bulk-exports.ts';
import * as reports from '../../db/reports/reports.ts';
import type { ExportedFile, StoredBulkItem } from '../../db/table/entities.ts';
import { isOutage } from '../../db/table/retry.ts';
import type { ExportFormat } from '../../schemas/reports/report-export.ts';
import { makeFile, openStored } from '../formats/file.ts';
import { MEDIA_TYPES } from '../formats/media-types.ts';
import { lastingReason, upload } from '../formats/upload.ts';
import { giveUpReport, reasonOf, renderReport } from '../render.ts';
import { bundleOf } from './bundle.ts';
import { bulkFile, bundleName } from './url.ts';

/** Formats whose files take long to make, so that each is made in the turn of its item. */
const MADE_BEFORE: ReadonlySet<ExportFormat> = new Set<ExportFormat>(['html', 'docx', 'zip']);

/** Renders a report to its end, unless it has one. @throws Error for an outage */
const settleReport = async (caller: Caller, inspectionId: string, reportId: string): Promise<void> => {
  try {
    await renderReport(caller, inspectionId, reportId);
  } catch (error) {
    if (isOutage(error)) throw error;
    // The worker of single reports may have ended it meanwhile: then this changes nothing.
    await giveUpReport(caller, inspectionId, reportId, error);
  }
};

/**
 * Makes the report of an item, and its file where that takes long. A report that an earlier attempt has begun is rendered
 * to its end.
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

/** Gives up the report of an item that was begun: nobody else renders it. */
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
 * Takes a turn at a bulk export: makes the reports that are missing, one after the other, and when all are there, the file.
 * What is left at the deadline is for another turn. It may be interrupted and repeated.
 * @param deadline epoch milliseconds
 * @param handedOn of the task; without it, whatever was handed on
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
 * Marks a bulk export as failed after the last attempt of its task, and the report that it was at. It may be repeated. One
 * that another worker makes is left to that worker.
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
