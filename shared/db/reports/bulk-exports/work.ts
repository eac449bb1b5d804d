import { ApiError } from '../../../base/api-error.ts';
import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { Inspection } from '../../../schemas/inspections/inspection.ts';
import { inspectionRecords } from '../../inspection-core/inspection-record.ts';
import { change } from '../../table/change.ts';
import type { ExportedFile, StoredBulkExport, StoredBulkItem } from '../../table/entities.ts';
import { job } from '../../table/job.ts';
import { type Key, keys } from '../../table/keys.ts';
import { getRow, getRows, readRows } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { countExportedBytes } from '../exported-bytes.ts';
import { reportKey } from '../reports.ts';
import { KIND, readItems, ttlOf, turnTask, UNSTARTED } from './record.ts';

/**
 * How long a worker holds a bulk export, in milliseconds: as long as it works on a task (`inTime`), and not until the task
 * is delivered again after its function crashed. A worker that is slower than that finds the turn moved.
 */
const LEASE_MS = 295_000;

/** How often the report of one inspection is begun before it counts as failed: it may be what ends the worker. */
const MAX_ATTEMPTS = 3;

const bulkJob = job<StoredBulkExport>({
  key: (caller, { id }) => keys.one(caller, KIND, id),
  hasEnded: ({ status }) => status === 'ready' || status === 'failed',
  guard: ['turn', 'status'],
  begun: ({ turn }) => ({ status: 'running', turn: turn + 1 }),
  lease: LEASE_MS,
  task: turnTask,
  lost: ({ id }) => errors.exportHeld(id),
});

/** A bulk export as its worker holds it. */
export interface BulkWork {
  stored: StoredBulkExport;
  /** In the order of the file. One that was not begun yet is the id of its inspection. */
  items: (StoredBulkItem | string)[];
}

/** Whether an error means that another worker has taken the bulk export. */
export const isHeld = (error: unknown): boolean =>
  error instanceof ApiError && error.code === errors.exportHeld.code;

const findRow = (caller: Caller, id: string) => getRow(caller, keys.one(caller, KIND, id));

/**
 * Takes a bulk export for this worker. Undefined when it has ended before, or was handed on to a later task.
 * @param handedOn of the task; without it, whatever was handed on
 * @throws ApiError `export_held` while another worker holds it
 */
export const begin = async (caller: Caller, id: string, handedOn?: number): Promise<BulkWork | undefined> => {
  const stored = await change(caller, async (work) =>
    bulkJob.take(work, await findRow(caller, id), handedOn),
  );
  return stored && { stored, items: await readItems(caller, id) };
};

/** Lets another worker take it. With `again`, one does so at once and goes on. @throws ApiError `export_held` */
export const release = async (caller: Caller, { stored }: BulkWork, again: boolean): Promise<void> => {
  await change(caller, (work) => (again ? bulkJob.handOn(work, stored) : bulkJob.release(work, stored)));
};

const itemKey = (caller: Caller, { stored }: BulkWork, position: number): Key<StoredBulkItem> =>
  keys.bulkItem(caller, stored.id, position);

const itemRow = (caller: Caller, bulk: BulkWork, position: number, item: StoredBulkItem): Write =>
  write.put({ ...item, ...itemKey(caller, bulk, position), ttl: ttlOf(bulk.stored) });

/**
 * Begins an item.
 * @returns whether it may be made; not so when it was begun so often that it must be what ends the worker
 */
export const beginItem = async (caller: Caller, bulk: BulkWork, position: number): Promise<boolean> => {
  const item = bulk.items[position]!;
  const begun: StoredBulkItem =
    typeof item === 'string'
      ? { inspection_id: item, ...UNSTARTED, status: 'running', attempts: 1 }
      : { ...item, attempts: item.attempts + 1 };
  bulk.items[position] = begun;
  if (begun.attempts > MAX_ATTEMPTS) return false;
  await change(caller, (work) => ({
    writes: [bulkJob.check(work, bulk.stored), itemRow(work, bulk, position, begun)],
    reply: undefined,
  }));
  return true;
};

/** Notes the report of an item, in the transaction that may create it. */
export const noteReport = (
  caller: Caller,
  bulk: BulkWork,
  position: number,
  { id: report_id }: { id: string },
): Write[] => [
  bulkJob.check(caller, bulk.stored),
  write.update(itemKey(caller, bulk, position), { set: { report_id } }),
];

const countOf = ({ status }: StoredBulkItem) => ({
  done: Number(status === 'ready'),
  failed: Number(status === 'failed'),
});

/** Ends an item, and counts it. @param bytes of a file that was stored for it alone */
export const endItem = async (
  caller: Caller,
  bulk: BulkWork,
  position: number,
  outcome: Pick<StoredBulkItem, 'report_id' | 'error'>,
  bytes = 0,
): Promise<void> => {
  const former = bulk.items[position] as StoredBulkItem;
  const item: StoredBulkItem = { ...former, ...outcome, status: outcome.error === null ? 'ready' : 'failed' };
  bulk.items[position] = item;
  const { stored } = bulk;
  const [before, after] = [countOf(former), countOf(item)];
  const done = stored.done + after.done - before.done;
  const failed = stored.failed + after.failed - before.failed;
  bulk.stored = await change(caller, (work) =>
    bulkJob.save(
      work,
      stored,
      { updated_at: work.now, done, failed },
      itemRow(work, bulk, position, item),
      ...(bytes > 0 ? [countExportedBytes(work, bytes)] : []),
    ),
  );
};

/** Why an item has no report any more. */
export const DELETED = 'The inspection was deleted.';

const keysOf = (caller: Caller, { inspection_id, report_id }: StoredBulkItem) =>
  [
    inspectionRecords.key(caller, inspection_id),
    report_id === null ? undefined : reportKey(caller, { inspection_id, id: report_id }),
  ] as const;

/** Whether the inspection of an item was deleted, or its report, which goes first. One call. */
export const isDeleted = async (caller: Caller, item: StoredBulkItem): Promise<boolean> => {
  const [inspection, report] = await getRows(caller, keysOf(caller, item));
  return !inspection || (item.report_id !== null && !report);
};

/** A report for the file of a bulk export. */
export interface ReadyReport {
  report_id: string;
  inspection: Pick<Inspection, 'number' | 'name'>;
}

export interface ReadyReports {
  reports: ReadyReport[];
  /** Of the organization. */
  timezone: string;
}

/**
 * The reports that are ready, in the order of the file. One call per 50. An item whose inspection was deleted after its
 * report was made fails.
 */
export const readyReports = async (caller: Caller, bulk: BulkWork): Promise<ReadyReports> => {
  const ready = bulk.items.flatMap((item, position) =>
    typeof item !== 'string' && item.status === 'ready' ? [{ item, position }] : [],
  );
  const organizationKey = keys.organization(caller);
  const rowsOf = await readRows(caller, [
    organizationKey,
    ...ready.flatMap(({ item }) => keysOf(caller, item)),
  ]);
  const [organization] = rowsOf([organizationKey]);
  const reports: ReadyReport[] = [];
  for (const { item, position } of ready) {
    const [inspection, report] = rowsOf(keysOf(caller, item));
    if (inspection && report) reports.push({ report_id: report.id, inspection });
    else await endItem(caller, bulk, position, { report_id: item.report_id, error: DELETED });
  }
  return { reports, timezone: organization!.timezone };
};

/** Ends a bulk export. @throws ApiError `export_held` when another worker has taken it */
export const end = async (
  caller: Caller,
  { stored }: BulkWork,
  outcome: (ExportedFile & { status: 'ready'; filename: string }) | { status: 'failed'; error: string },
): Promise<void> => {
  await change(caller, (work) =>
    bulkJob.end(
      work,
      stored,
      { ...outcome, updated_at: work.now },
      ...(outcome.status === 'ready' ? [countExportedBytes(work, outcome.size_bytes)] : []),
    ),
  );
};

/**
 * A bulk export as it stands, to be ended as failed. Undefined when it has ended.
 * @param untakenAt ISO 8601: only if no worker holds it then; also while one does where left out
 */
export const unended = async (
  caller: Caller,
  id: string,
  untakenAt?: string,
): Promise<BulkWork | undefined> => {
  const stored = bulkJob.unended(await findRow(caller, id), untakenAt);
  return stored && { stored, items: await readItems(caller, id) };
};
