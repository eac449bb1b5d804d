import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import { badRequest, conflict, notFound } from '../../base/errors.ts';
import type { NewReport, NewReportExport, Report, ReportExport } from '../../schemas/reports/report.ts';
import { referenceTo } from '../inspection-core/parts.ts';
import { rows as inspectionRows, type StoredInspection } from '../inspection-core/record.ts';
import { change } from '../table/change.ts';
import { type Condition, exists, hasValues, oneOf } from '../table/conditions.ts';
import { type Key, keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { emit, enqueue } from '../table/outbox.ts';
import { getRow, getRows, queryRows, type Row, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** As stored: whether it is current or stale is seen from the inspection. */
export type StoredReport = Omit<Report, 'is_current' | 'is_stale'> & {
  /** The state of the inspection that it shows, once rendered. */
  shows: string | null;
  size_bytes: number | null;
  sha256: string | null;
  /** How many exports were begun, so that two requests for one do not both begin it. */
  exports: number;
};

/** Of a report's PDF, everything the world is told about it follows from the report. */
interface StoredExport extends Pick<
  ReportExport,
  'id' | 'report_id' | 'format' | 'expires_at' | 'created_at'
> {}

interface ReportCount {
  last: number;
}

const NOUN = 'report';
const EXPORT_KEPT_MS = 30 * 86_400_000;

/** Equal for two reads of an inspection between which nothing changed that a report shows. */
export const shownState = ({ version, answers_revision, findings_revision }: StoredInspection): string =>
  [version, answers_revision, findings_revision].join('.');

const toReport = (
  { shows, size_bytes: _size, sha256: _sha, exports: _exports, ...report }: StoredReport,
  inspection: StoredInspection,
  count: ReportCount,
): Report => ({
  ...report,
  is_current: report.version === count.last,
  is_stale: shows !== null && shows !== shownState(inspection),
});

const statusIs = (...statuses: Report['status'][]): Condition => oneOf('status', statuses);

const reportKey = (caller: Caller, { inspection_id, id }: Pick<Report, 'inspection_id' | 'id'>): Key =>
  keys.child(caller, inspection_id, 'REPORT', id);

/** An inspection with the count of its reports. @throws ApiError 404 */
const readParent = async (caller: Caller, inspectionId: string) => {
  const [inspection, count] = await getRows(caller, [
    inspectionRows.key(caller, inspectionId),
    keys.reportCount(caller, inspectionId),
  ]);
  if (!inspection) throw notFound(inspectionRows.noun);
  return {
    inspection: inspection as unknown as StoredInspection,
    count: (count ?? { last: 0 }) as unknown as ReportCount,
  };
};

/** A report with what its standing is seen from. @throws ApiError 404 */
const read = async (caller: Caller, id: string) => {
  const reference = await getRow<{ inspection_id: string }>(caller, keys.reference(caller, 'REPORT', id));
  if (!reference) throw notFound(NOUN);
  const { inspection_id } = reference;
  const [report, inspection, count] = await getRows(caller, [
    reportKey(caller, { inspection_id, id }),
    inspectionRows.key(caller, inspection_id),
    keys.reportCount(caller, inspection_id),
  ]);
  if (!report || !inspection) throw notFound(NOUN);
  return {
    report: withoutKeys(report as unknown as Row<StoredReport>),
    inspection: inspection as unknown as StoredInspection,
    count: count as unknown as ReportCount,
  };
};

const EXPORT_STATUS = { queued: 'queued', rendering: 'running', ready: 'ready', failed: 'failed' } as const;

/** An export as it stands: as far as its report, until it ends by itself. */
const toExport = (stored: StoredExport, report: StoredReport, url: string | null): ReportExport => {
  const isExpired = Date.parse(stored.expires_at) <= Date.now();
  const isReady = report.status === 'ready' && !isExpired;
  return {
    ...stored,
    status: isExpired ? 'expired' : EXPORT_STATUS[report.status],
    url: isReady ? url : null,
    size_bytes: isReady ? report.size_bytes : null,
    sha256: isReady ? report.sha256 : null,
    updated_at: report.ready_at ?? stored.created_at,
  };
};

const countWrite = (caller: Caller, inspectionId: string, { last }: ReportCount): Write => {
  const key = keys.reportCount(caller, inspectionId);
  if (last === 0) return write.create({ ...key, last: 1 });
  return write.update(key, { set: { last: last + 1 } }, hasValues({ last }));
};

/** A report to be rendered by the worker. @throws ApiError 404; 400 for the layout */
export const create = (caller: Caller, inspectionId: string, { layout_id }: NewReport): Promise<Report> =>
  change(caller, async () => {
    const { inspection, count } = await readParent(caller, inspectionId);
    if (layout_id) {
      const layout = await getRow(caller, keys.layout(caller, inspection.template_family_id, layout_id));
      if (!layout) throw badRequest('layout_id does not exist');
    }
    const now = new Date().toISOString();
    const report: StoredReport = {
      id: uuidv7(),
      inspection_id: inspectionId,
      layout_id,
      version: count.last + 1,
      status: 'queued',
      page_count: null,
      content_hash: null,
      warnings: [],
      error: null,
      requested_by: caller.user_id,
      ready_at: null,
      created_at: now,
      updated_at: now,
      shows: null,
      size_bytes: null,
      sha256: null,
      exports: 0,
    };
    return {
      writes: [
        write.create({ ...report, ...reportKey(caller, report) }),
        referenceTo(caller, 'REPORT', report),
        countWrite(caller, inspectionId, count),
        write.update(inspectionRows.key(caller, inspectionId), { add: { parts_revision: 1 } }, exists),
        enqueue(caller, 'render', { inspection_id: inspectionId, report_id: report.id }),
      ],
      reply: toReport(report, inspection, { last: report.version }),
    };
  });

/** An inspection's reports, the newest first. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: ListQuery,
): Promise<Listing<Report>> => {
  const filters = { ...query, inspection_id: inspectionId };
  const { inspection, count } = await readParent(caller, inspectionId);
  const rows = queryRows<StoredReport>(caller, {
    partition: keys.below(caller, 'INSPECTION', inspectionId),
    prefix: 'REPORT#',
    after: readCursor(caller, NOUN, filters),
    updatedSince: query.updated_since,
    newestFirst: true,
  });
  return listing(
    caller,
    NOUN,
    filters,
    rows,
    ({ sk }) => sk,
    (row) => toReport(withoutKeys<StoredReport>(row), inspection, count),
  );
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Report> => {
  const { report, inspection, count } = await read(caller, id);
  return toReport(report, inspection, count);
};

/** The report's file in a format: the one there is, or a new one. @throws ApiError 404; 409 for a failed report */
export const createExport = (
  caller: Caller,
  id: string,
  { format }: NewReportExport,
): Promise<ReportExport> =>
  change(caller, async () => {
    const { report } = await read(caller, id);
    if (report.status === 'failed') throw conflict('report is failed; create another one');
    const exports = await Array.fromAsync(
      queryRows<StoredExport>(caller, { partition: keys.below(caller, 'REPORT', id), prefix: 'EXPORT#' }),
    );
    const standing = exports
      .map((row) => toExport(withoutKeys<StoredExport>(row), report, null))
      .find((known) => known.format === format && known.status !== 'expired');
    if (standing) return { writes: [], reply: standing };
    const now = Date.now();
    const stored: StoredExport = {
      id: uuidv7({ msecs: now }),
      report_id: id,
      format,
      expires_at: new Date(now + EXPORT_KEPT_MS).toISOString(),
      created_at: new Date(now).toISOString(),
    };
    return {
      writes: [
        write.put({ ...stored, ...keys.export(caller, id, stored.id) }),
        write.update(
          reportKey(caller, report),
          { set: { exports: report.exports + 1 } },
          hasValues({ exports: report.exports }),
        ),
      ],
      reply: toExport(stored, report, null),
    };
  });

/** @param sign makes the URL of the file, called only when there is one. @throws ApiError 404 */
export const getExport = async (
  caller: Caller,
  id: string,
  exportId: string,
  sign: (report: StoredReport) => Promise<string>,
): Promise<ReportExport> => {
  const { report } = await read(caller, id);
  const row = await getRow<StoredExport>(caller, keys.export(caller, id, exportId));
  if (!row) throw notFound('export');
  const stored = withoutKeys<StoredExport>(row);
  const isReady = toExport(stored, report, null).status === 'ready';
  return toExport(stored, report, isReady ? await sign(report) : null);
};

/** Takes a report up for rendering; undefined when that is done, or its inspection is gone. */
export const begin = async (
  caller: Caller,
  inspectionId: string,
  id: string,
): Promise<StoredReport | undefined> => {
  const key = reportKey(caller, { inspection_id: inspectionId, id });
  const row = await getRow<StoredReport>(caller, key);
  if (!row || row.status === 'ready' || row.status === 'failed') return undefined;
  if (row.status === 'queued') {
    await change(caller, () => ({
      writes: [write.update(key, { set: { status: 'rendering' } }, statusIs('queued', 'rendering'))],
      reply: undefined,
    }));
  }
  return withoutKeys<StoredReport>(row);
};

/** Ends a rendering, once: ready with what was drawn, or failed with the reason. */
export const end = (
  caller: Caller,
  report: StoredReport,
  outcome:
    | (Pick<StoredReport, 'page_count' | 'content_hash' | 'warnings' | 'shows' | 'size_bytes' | 'sha256'> & {
        status: 'ready';
      })
    | { status: 'failed'; error: string },
): Promise<void> =>
  change(caller, () => {
    const now = new Date().toISOString();
    const { id, inspection_id } = report;
    return {
      writes: [
        write.update(
          reportKey(caller, report),
          { set: { ...outcome, updated_at: now, ...(outcome.status === 'ready' && { ready_at: now }) } },
          statusIs('rendering'),
          () => conflict(`report ${id} is not being rendered`),
        ),
        emit(caller, `report.${outcome.status}`, { report_id: id, inspection_id }),
      ],
      reply: undefined,
    };
  });
