import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { activityWrites, inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import { deleteFiles, reportRecords } from '../../inspections/rows/rows-below.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import { type NewReport, Report } from '../../schemas/reports/report.ts';
import { change, type Work } from '../../table/change.ts';
import { exists, hasValues } from '../../table/conditions.ts';
import type {
  ReportCount,
  StoredExport,
  StoredInspection,
  StoredReport,
} from '../../table/entities/inspections.ts';
import { job } from '../../table/job.ts';
import { type Key, keys } from '../../table/keys.ts';
import { type Listing, type ListQuery, listRows } from '../../table/listing.ts';
import { countInMonth } from '../../table/month-counts.ts';
import { aboutOf, emit, enqueue } from '../../table/outbox/outbox.ts';
import * as resource from '../../table/resource.ts';
import { follow } from '../../table/resource.ts';
import { getRow, getRows, queryRows, withoutKeys } from '../../table/rows.ts';
import { leaveSlot, takeSlot } from '../../table/slots.ts';
import type { ReportMailTask } from '../../table/tasks.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { isCompleted } from './parts.ts';

const NOUN = 'report';

/** The state of an inspection, as a text. It is the same as long as nothing changes that a report shows. */
export const shownState = ({ version, answers_revision, findings_revision }: StoredInspection): string =>
  [version, answers_revision, findings_revision].join('.');

/** A report as clients see it. */
export const toReport = (
  report: StoredReport,
  inspection: StoredInspection,
  count: ReportCount,
): Presented<Report> =>
  present(Report, report, {
    is_current: report.version === count.last,
    is_stale: report.shows !== null && report.shows !== shownState(inspection),
  });

export const reportKey = (
  caller: Caller,
  { inspection_id, id }: Pick<Report, 'inspection_id' | 'id'>,
): Key<StoredReport> => keys.child(caller, inspection_id, 'REPORT', id);

/** An inspection with the number of its reports. @throws ApiError 404 */
export const readParent = async (caller: Caller, inspectionId: string) => {
  const [inspection, count] = await getRows(caller, [
    inspectionRecords.key(caller, inspectionId),
    keys.reportCount(caller, inspectionId),
  ]);
  if (!inspection) throw errors.notFound(inspectionRecords.noun);
  return { inspection, count: count ?? { last: 0 } };
};

/** A report, and the rows that show whether it is current or stale. @throws ApiError 404 */
export const readReport = async (caller: Caller, id: string) => {
  const reference = await getRow(caller, keys.reference(caller, 'REPORT', id));
  if (!reference) throw errors.notFound(NOUN);
  const { inspection_id } = reference;
  const [report, inspection, count] = await getRows(caller, [
    reportKey(caller, { inspection_id, id }),
    inspectionRecords.key(caller, inspection_id),
    keys.reportCount(caller, inspection_id),
  ]);
  if (!report || !inspection) throw errors.notFound(NOUN);
  // The first report writes the count.
  return { report: withoutKeys(report), inspection, count: count! };
};

/** The count of an inspection's reports, with another one. */
const countWrite = (caller: Caller, inspectionId: string, { last }: ReportCount): Write => {
  const key = keys.reportCount(caller, inspectionId);
  if (last === 0) return write.create({ ...key, last: 1 });
  return write.update(key, { set: { last: last + 1 } }, hasValues({ last }));
};

/** How a report is asked to look. */
type WantedLook = Pick<NewReport, 'layout_id' | 'language'>;

/** The rows from which an inspection's next report is made. */
interface Parent {
  inspection: StoredInspection;
  count: ReportCount;
}

/** A new report, and its rows. */
interface NewStoredReport {
  report: StoredReport;
  writes: Write[];
}

/** A new report of an inspection, with its rows. It gets no task: the caller renders it. */
const unrenderedReport = (
  work: Work,
  { inspection, count }: Parent,
  { layout_id, language }: WantedLook,
  fields: Partial<Pick<StoredReport, 'id' | 'emails_waiting' | 'slot'>> = {},
): NewStoredReport => {
  const report: StoredReport = {
    id: uuidv7(),
    inspection_id: inspection.id,
    layout_id,
    version: count.last + 1,
    status: 'queued',
    is_draft: !isCompleted(inspection),
    language,
    wanted_language: language,
    page_count: null,
    content_hash: null,
    warnings: [],
    error: null,
    requested_by: work.user_id,
    ready_at: null,
    created_at: work.now,
    updated_at: work.now,
    shows: null,
    size_bytes: null,
    payload_bytes: null,
    sha256: null,
    exports: 0,
    ...fields,
  };
  return {
    report,
    writes: [
      ...resource.create(reportRecords, work, report),
      countWrite(work, inspection.id, count),
      ...activityWrites(work, inspection.id, [{ kind: 'report_requested', report_id: report.id }]),
      write.update(inspectionRecords.key(work, inspection.id), { add: { parts_revision: 1 } }, exists),
    ],
  };
};

/**
 * A new report of an inspection, with the rows that make the worker render it.
 * @throws ApiError 429 when as many wait as the organization may have
 */
export const newReport = async (
  work: Work,
  parent: Parent,
  wanted: WantedLook,
  fields: Pick<StoredReport, 'emails_waiting'> = {},
): Promise<NewStoredReport> => {
  const id = uuidv7();
  const inspection_id = parent.inspection.id;
  const { slot, writes: taken } = await takeSlot(work, 'RENDER', reportKey(work, { inspection_id, id }));
  const { report, writes } = unrenderedReport(work, parent, wanted, { ...fields, id, slot });
  const task = { inspection_id, report_id: id };
  return { report, writes: [...writes, ...taken, enqueue(work, 'render', task)] };
};

/** Creates a report, which the worker renders. @throws ApiError 404; 400 for the layout; 429 */
export const create = (caller: Caller, inspectionId: string, request: NewReport): Promise<Report> =>
  change(caller, async (work) => {
    const parent = await readParent(work, inspectionId);
    const { inspection } = parent;
    if (request.layout_id) {
      const layout = await getRow(work, keys.layout(work, inspection.template_family_id, request.layout_id));
      if (!layout) throw errors.referenceNotFound('layout_id');
    }
    const { report, writes } = await newReport(work, parent, request);
    return { writes, reply: toReport(report, inspection, { last: report.version }) };
  });

/**
 * The newest report of an inspection, if it shows the inspection's present state in the wanted look, or will show it.
 * A look without a layout or a language fits any.
 */
export const freshReport = async (
  caller: Caller,
  { inspection, count }: Parent,
  { layout_id, language }: { [Field in keyof WantedLook]?: WantedLook[Field] | undefined },
): Promise<StoredReport | undefined> => {
  if (count.last === 0) return undefined;
  const range = keys.parts(caller, 'INSPECTION', inspection.id, 'REPORT');
  for await (const row of queryRows(caller, { ...range, newestFirst: true, pageSize: 1 })) {
    const report = withoutKeys(row);
    // A queued report will show the state at its rendering. A report that is being rendered may miss a change.
    const isFresh =
      report.status === 'queued' || (report.status === 'ready' && report.shows === shownState(inspection));
    const isWanted =
      (layout_id === undefined || report.layout_id === layout_id) &&
      (language === undefined || report.wanted_language === language);
    return isFresh && isWanted ? report : undefined;
  }
  return undefined;
};

/** The newest report of an inspection, if it is ready and shows the present state in this look. @throws ApiError 404 */
export const currentReport = async (
  caller: Caller,
  inspectionId: string,
  wanted: WantedLook,
): Promise<StoredReport | undefined> => {
  const report = await freshReport(caller, await readParent(caller, inspectionId), wanted);
  return report?.status === 'ready' ? report : undefined;
};

/** The reports of an inspection, newest first. @throws ApiError 404 */
export const list = (caller: Caller, inspectionId: string, query: ListQuery): Promise<Listing<Report>> =>
  listRows(
    caller,
    `${NOUN} ${inspectionId}`,
    query,
    { ...keys.parts(caller, 'INSPECTION', inspectionId, 'REPORT'), newestFirst: true },
    (row, { inspection, count }) => toReport(row, inspection, count),
    () => readParent(caller, inspectionId),
  );

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Report> => {
  const { report, inspection, count } = await readReport(caller, id);
  return toReport(report, inspection, count);
};

/**
 * Deletes the files of a report that has failed or was deleted. An attempt that ended later, or was interrupted, may
 * have stored them, and no row counts their bytes. Does nothing for any other report.
 */
export const discardLostFiles = (caller: Caller, inspectionId: string, id: string): Promise<void> =>
  change(caller, async (work) => {
    const row = await getRow(work, reportKey(work, { inspection_id: inspectionId, id }));
    const isLost = !row || row.status === 'failed';
    return { writes: isLost ? deleteFiles(work, [{ id }]) : [], reply: undefined };
  });

/** Several workers may render a report at once. The first one ends it. */
const renderJob = job<StoredReport>({
  key: reportKey,
  hasEnded: ({ status }) => status === 'ready' || status === 'failed',
  // An export or a mail that was requested since the row was read is not forgotten.
  guard: ['status', 'exports', 'emails_waiting'],
  begun: () => ({ status: 'rendering' }),
});

/** Starts the rendering of a report. Undefined when it is rendered already, or its inspection was deleted. */
export const begin = (caller: Caller, inspectionId: string, id: string): Promise<StoredReport | undefined> =>
  change(caller, async (work) =>
    renderJob.take(work, await getRow(caller, reportKey(caller, { inspection_id: inspectionId, id }))),
  );

/** Makes a task for a mail of a report; for all that wait when it has no `email_id`. */
export const mailTask = (work: Work, ids: Omit<ReportMailTask, 'what'>): Write =>
  enqueue(work, 'mail', { what: 'report', ...ids });

/** The exports of a report, oldest first. */
export const exportsOf = async (caller: Caller, reportId: string): Promise<StoredExport[]> =>
  (await Array.fromAsync(queryRows(caller, keys.parts(caller, 'REPORT', reportId, 'EXPORT')))).map((row) =>
    withoutKeys(row),
  );

/** Whether a worker makes the file. The PDF is the report itself. */
export const isMade = ({ format }: Pick<StoredExport, 'format'>): boolean => format !== 'pdf';

/** Makes a task for an export, in the transaction of a change. The report must be ready. */
export const exportTask = (
  work: Work,
  { id, inspection_id }: Pick<StoredReport, 'id' | 'inspection_id'>,
  exportId: string,
): Write => enqueue(work, 'export', { inspection_id, report_id: id, export_id: exportId });

/** Returns the slots of all exports that wait for their report, because it failed: they fail with it. */
const leaveExportSlots = async (work: Work, reportId: string): Promise<Write[]> =>
  (await exportsOf(work, reportId)).flatMap((stored) => {
    const left = leaveSlot(work, 'EXPORT', stored);
    if (left.length === 0) return [];
    return [...left, write.update(keys.export(work, reportId, stored.id), { set: { slot: null } }, exists)];
  });

/** Tasks for all exports that wait for their report. */
export const exportTasks = async (
  work: Work,
  report: Pick<StoredReport, 'id' | 'inspection_id'>,
): Promise<Write[]> =>
  (await exportsOf(work, report.id)).filter(isMade).map(({ id }) => exportTask(work, report, id));

/** Ends a rendering, only once: the report is ready, and its files are counted, or it has failed, and has none. */
export const end = (
  caller: Caller,
  report: StoredReport,
  outcome:
    | (Pick<
        StoredReport,
        'page_count' | 'content_hash' | 'warnings' | 'shows' | 'sha256' | 'is_draft' | 'language'
      > & { status: 'ready'; size_bytes: number; payload_bytes: number })
    | { status: 'failed'; error: string },
): Promise<StoredReport> =>
  change(caller, async (work) => {
    const { now } = work;
    const { id, inspection_id } = report;
    const [row, inspection, count] = await getRows(caller, [
      reportKey(caller, report),
      inspectionRecords.key(caller, inspection_id),
      keys.reportCount(caller, inspection_id),
    ]);
    if (row?.status !== 'rendering' || !inspection || !count) throw errors.reportNotRendering(id);
    const current = withoutKeys(row);
    const set = {
      ...outcome,
      slot: null,
      updated_at: now,
      ...(outcome.status === 'ready' && { ready_at: now }),
    };
    return renderJob.end(
      work,
      current,
      set,
      ...leaveSlot(work, 'RENDER', current),
      ...follow(reportRecords, work, current, { ...current, ...set }),
      ...(outcome.status === 'ready' ? [countInMonth(work, id, { reports: 1 })] : []),
      ...(outcome.status === 'failed' ? deleteFiles(work, [report]) : []),
      ...(outcome.status === 'failed' && current.exports > 0 ? await leaveExportSlots(work, id) : []),
      emit(work, `report.${outcome.status}`, toReport({ ...current, ...set }, inspection, count), {
        about: aboutOf(inspection),
      }),
      ...(outcome.status === 'ready' && current.exports > 0 ? await exportTasks(work, report) : []),
      ...(current.emails_waiting ? [mailTask(work, { report_id: id, inspection_id })] : []),
    );
  });
