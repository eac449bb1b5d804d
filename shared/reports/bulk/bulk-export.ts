import type { Readable } from 'node:stream';
import type { Caller } from '../../base/caller.ts';
import * as bulk from '../../db/reports/bulk-exports.ts';
import * as reports from '../../db/reports/reports.ts';
import type { StoredBulkItem } from '../../db/table/entities.ts';
import { isOutage } from '../../db/table/retry.ts';
import type { ExportFormat } from '../../schemas/reports/report-export.ts';
import { makeFile, openStored } from '../formats/file.ts';
import { MEDIA_TYPES } from '../formats/media-types.ts';
import { upload } from '../formats/upload.ts';
import { giveUpReport, reasonOf, renderReport } from '../render.ts';
import { bundleOf } from './bundle.ts';
import { bulkFile, BUNDLE } from './url.ts';

/** Formats whose files take long to make, so that each is made in the turn of its item. */
const MADE_BEFORE: ReadonlySet<ExportFormat> = new Set<ExportFormat>(['html', 'docx', 'zip']);

/**
 * Makes the report of one inspection.
 * @throws Error for a failure that may pass: an outage, another writer
 */
const makeItem = async (caller: Caller, work: bulk.BulkWork, position: number): Promise<void> => {
  const mayBegin = await bulk.beginItem(caller, work, position);
  const item = work.items[position] as StoredBulkItem;
  const fail = (error: string) => bulk.endItem(caller, work, position, { report_id: item.report_id, error });
  if (!mayBegin) return fail('The report could not be made, although it was tried several times.');
  const { stored } = work;
  try {
    // A report that an earlier attempt has begun is rendered to its end.
    if (item.report_id === null) {
      const report = await reports.freshOrNew(caller, item.inspection_id, stored, (made) => [
        bulk.noteReport(caller, work, position, made),
      ]);
      item.report_id = report.id;
    }
    await renderReport(caller, item.inspection_id, item.report_id);
    const { status, error } = await reports.get(caller, item.report_id);
    if (status === 'failed') return await fail(error ?? 'The report could not be rendered.');
    if (MADE_BEFORE.has(stored.format)) {
      const content = await makeFile(caller, stored.format, item.report_id);
      const key = bulkFile(caller, stored.id, item.report_id);
      await upload(caller, key, content, MEDIA_TYPES[stored.format]);
    }
  } catch (error) {
    if (isOutage(error)) throw error;
    if (item.report_id) await giveUpReport(caller, item.inspection_id, item.report_id, error);
    return fail(reasonOf(error));
  }
  return bulk.endItem(caller, work, position, { report_id: item.report_id, error: null });
};

/** Makes the one file of all reports that are ready. */
const makeBundle = async (caller: Caller, work: bulk.BulkWork): Promise<void> => {
  const { stored } = work;
  const ready = await bulk.readyReports(caller, work);
  if (ready.length === 0) {
    await bulk.end(caller, work, { status: 'failed', error: 'No report could be made. See the items.' });
    return;
  }
  const openFile = async (reportId: string): Promise<Readable> =>
    MADE_BEFORE.has(stored.format)
      ? openStored(caller, bulkFile(caller, stored.id, reportId))
      : makeFile(caller, stored.format, reportId);
  const { content, contentType, filename } = bundleOf(caller, stored, ready, openFile);
  const file = await upload(caller, bulkFile(caller, stored.id, BUNDLE), content, contentType);
  await bulk.end(caller, work, { status: 'ready', filename, ...file });
};

/**
 * Takes a turn at a bulk export: makes the reports that are missing, one after the other, and when all are there, the file.
 * What is left at the deadline is for another turn. It may be interrupted and repeated.
 * @param deadline epoch milliseconds
 * @throws Error for a failure that may pass, and while another worker holds the export
 */
export const continueBulkExport = async (caller: Caller, id: string, deadline: number): Promise<void> => {
  const work = await bulk.begin(caller, id);
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

/** Marks a bulk export as failed after its last attempt. It may be repeated. */
export const giveUpBulkExport = (caller: Caller, id: string): Promise<void> =>
  bulk.giveUp(caller, id, 'The file could not be made. Request the export again.');
