import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { dayOf, keptFrom, timeAfter } from '../../base/time.ts';
import { inspectionFileName } from '../../domain/report/file-name.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { present } from '../../schemas/projection.ts';
import { type NewReportExport, ReportExport } from '../../schemas/reports/report-export.ts';
import { change, NOTHING, type Work } from '../../table/change.ts';
import { hasValues } from '../../table/conditions.ts';
import type {
  ExportedFile,
  StoredExport,
  StoredInspection,
  StoredReport,
} from '../../table/entities/inspections.ts';
import { job } from '../../table/job.ts';
import { keys } from '../../table/keys.ts';
import { getRow, getRows, queryRows, withoutKeys } from '../../table/rows.ts';
import { leaveSlot, takeSlot } from '../../table/slots.ts';
import { DEFAULT_MAX_STORED_BYTES } from '../../table/stored-bytes.ts';
import type { ExportTask } from '../../table/tasks.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { exportsOf, exportTask, isMade, readReport, reportKey } from './reports.ts';

/*
 * The files of exports delete themselves after 31 days (the bucket's lifecycle), so their bytes are counted by the day
 * on which they were made, and a day's count is forgotten with them. Stored files are counted in `stored-bytes.ts`.
 */

const DAY_SECONDS = 86_400;

/** Days for which a file of an export is kept. */
const KEPT_DAYS = 31;

/** Bytes of all files of exports that an organization may have at a time. */
export const MAX_EXPORTED_BYTES = DEFAULT_MAX_STORED_BYTES;

/** Counts the file of an export, in the transaction that marks the export as ready. */
export const countExportedBytes = (work: Work, bytes: number): Write => {
  const ttl = keptFrom(work.now, (KEPT_DAYS + 1) * DAY_SECONDS);
  return write.update(keys.exportedBytes(work, dayOf(work.now)), { set: { ttl }, add: { bytes } });
};

/** Checks, before an export is created, that its file may be stored. One call. @throws ApiError 409 */
export const checkExportRoom = async (caller: Caller): Promise<void> => {
  let used = 0;
  const oldest = dayOf(timeAfter(new Date().toISOString(), -KEPT_DAYS * DAY_SECONDS * 1_000));
  for await (const { sk, bytes } of queryRows(caller, { partition: keys.exportedBytes.partition(caller) }))
    if (sk >= oldest) used += bytes;
  if (used >= MAX_EXPORTED_BYTES) throw errors.exportsFull(used, MAX_EXPORTED_BYTES);
};

/** How long an export can be downloaded, in milliseconds. */
export const MAX_EXPORT_AGE_MS = 30 * 86_400_000;

/** How long the row of an export is kept, in seconds: some time after it has expired. */
export const KEPT_SECONDS = 60 * 86_400;

type ExportOutcome = Pick<StoredExport, 'status' | 'error' | 'size_bytes' | 'sha256' | 'updated_at'>;

const REPORT_STATUS = { queued: 'queued', rendering: 'running', ready: 'ready', failed: 'failed' } as const;

/** @param time null for none */
const laterOf = (time: string | null, other: string): string =>
  time !== null && time > other ? time : other;

/** How far an export is. For a PDF, and before its report is ready, this follows from the report. */
const outcomeOf = (stored: StoredExport, report: StoredReport): ExportOutcome => {
  if (isMade(stored) && report.status === 'ready') return stored;
  const { error, size_bytes, sha256, ready_at } = report;
  return {
    status: REPORT_STATUS[report.status],
    error,
    size_bytes,
    sha256,
    // The report may have been ready before its export was asked for.
    updated_at: laterOf(ready_at, stored.created_at),
  };
};

type Named = Pick<StoredInspection, 'number' | 'name'>;

const toExport = (
  stored: StoredExport,
  report: StoredReport,
  inspection: Named,
  url: string | null = null,
): ReportExport => {
  const { status, error, size_bytes, sha256, updated_at } = outcomeOf(stored, report);
  const isExpired = Date.parse(stored.expires_at) <= Date.now();
  const isReady = status === 'ready' && !isExpired;
  return present(ReportExport, stored, {
    status: isExpired ? 'expired' : status,
    error,
    url: isReady ? url : null,
    filename: isReady ? inspectionFileName(inspection, stored.format) : null,
    size_bytes: isReady ? size_bytes : null,
    sha256: isReady ? sha256 : null,
    updated_at,
  });
};

/** The file of an export, for its URL. Each attempt stores its own: two need not have the same bytes. */
export type ExportFile = Pick<StoredExport, 'id' | 'report_id' | 'format' | 'turn'> & { filename: string };

/** Makes the URL of a file; called only when the file exists. */
type SignFile = (file: ExportFile) => Promise<string>;

/** An export as it is sent to clients, with the URL of its file once that exists. */
const withUrl = async (
  stored: StoredExport,
  report: StoredReport,
  inspection: Named,
  sign: SignFile,
): Promise<ReportExport> => {
  const { filename } = toExport(stored, report, inspection);
  const url = filename === null ? null : await sign({ ...stored, filename });
  return toExport(stored, report, inspection, url);
};

/** A PDF is made with its report, and takes no slot of its own. */
const NO_SLOT = { slot: null, writes: [] };

/**
 * The export of a report in a format. It is created if there is none that is of use: one that failed or has expired is
 * not.
 * @throws ApiError 404; 409 for a failed report; 429 when as many wait as the organization may have
 */
export const createExport = (
  caller: Caller,
  id: string,
  { format }: NewReportExport,
  sign: SignFile,
): Promise<ReportExport> =>
  change(caller, async (work) => {
    const { report, inspection } = await readReport(work, id);
    if (report.status === 'failed') throw errors.reportFailed();
    const existing = (await exportsOf(work, id)).find(
      (known) =>
        known.format === format &&
        !['expired', 'failed'].includes(toExport(known, report, inspection).status),
    );
    if (existing) return { writes: [], reply: await withUrl(existing, report, inspection, sign) };
    if (format !== 'pdf') await checkExportRoom(work);
    const created_at = work.now;
    const now = Date.parse(created_at);
    const exportId = uuidv7({ msecs: now });
    const key = keys.export(work, id, exportId);
    const { slot, writes } = isMade({ format }) ? await takeSlot(work, 'EXPORT', key) : NO_SLOT;
    const stored: StoredExport = {
      id: exportId,
      report_id: id,
      format,
      status: 'queued',
      error: null,
      size_bytes: null,
      sha256: null,
      expires_at: new Date(now + MAX_EXPORT_AGE_MS).toISOString(),
      created_at,
      updated_at: created_at,
      turn: 0,
      slot,
    };
    const { status, exports } = report;
    return {
      writes: [
        write.put({ ...stored, ...key, ttl: Math.floor(now / 1_000) + KEPT_SECONDS }),
        ...writes,
        write.update(
          reportKey(work, report),
          { set: { exports: exports + 1 }, add: { parts_revision: 1 } },
          hasValues({ status, exports }),
        ),
        ...(isMade(stored) && status === 'ready' ? [exportTask(work, report, stored.id)] : []),
      ],
      reply: await withUrl(stored, report, inspection, sign),
    };
  });

/** An export with the rows that it belongs to. @throws ApiError 404 */
const readExport = async (caller: Caller, id: string, exportId: string) => {
  const { report, inspection } = await readReport(caller, id);
  const row = await getRow(caller, keys.export(caller, id, exportId));
  if (!row) throw errors.notFound('export');
  return { stored: withoutKeys(row), report, inspection };
};

/** @throws ApiError 404 */
export const getExport = async (
  caller: Caller,
  id: string,
  exportId: string,
  sign: SignFile,
): Promise<ReportExport> => {
  const { stored, report, inspection } = await readExport(caller, id, exportId);
  return withUrl(stored, report, inspection, sign);
};

/** An export that a worker has begun, and the rows from which it makes it. */
export interface BegunExport {
  stored: StoredExport;
  report: StoredReport;
  inspection: Named;
}

/** Several workers may make an export at once. The file of the first one that ends it counts. */
const exportJob = job<StoredExport>({
  key: (caller, { report_id, id }) => keys.export(caller, report_id, id),
  hasEnded: ({ status }) => status === 'ready' || status === 'failed',
  guard: ['status', 'turn'],
  begun: ({ turn }) => ({ status: 'running', turn: turn + 1 }),
});

/** Begins to make an export. Undefined when it has ended, or its report or inspection was deleted. */
export const beginExport = (
  caller: Caller,
  { inspection_id, report_id, export_id }: ExportTask,
): Promise<BegunExport | undefined> =>
  change<BegunExport | undefined>(caller, async (work) => {
    const [row, report, inspection] = await getRows(caller, [
      keys.export(caller, report_id, export_id),
      reportKey(caller, { inspection_id, id: report_id }),
      inspectionRecords.key(caller, inspection_id),
    ]);
    if (!report || !inspection) return NOTHING;
    const { writes, reply: stored } = exportJob.take(work, row);
    return { writes, reply: stored && { stored, report: withoutKeys(report), inspection } };
  });

/** Whether an export is still there. One read. */
export const exists = async (
  caller: Caller,
  { id, report_id }: Pick<StoredExport, 'id' | 'report_id'>,
): Promise<boolean> => (await getRow(caller, keys.export(caller, report_id, id))) !== undefined;

/** Ends an export. A repeated call changes nothing. */
export const endExport = (
  caller: Caller,
  { id, report_id, turn }: Pick<StoredExport, 'id' | 'report_id' | 'turn'>,
  outcome: (ExportedFile & { status: 'ready' }) | { status: 'failed'; error: string },
): Promise<StoredExport | undefined> =>
  change(caller, async (work) => {
    const stored = exportJob.unended(await getRow(caller, keys.export(caller, report_id, id)));
    if (!stored) return NOTHING;
    return exportJob.end(
      work,
      stored,
      { ...outcome, turn, slot: null, updated_at: work.now },
      ...leaveSlot(work, 'EXPORT', stored),
      ...(outcome.status === 'ready' ? [countExportedBytes(work, outcome.size_bytes)] : []),
    );
  });
