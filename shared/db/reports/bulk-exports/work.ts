import { ApiError } from '../../../base/api-error.ts';
import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { Inspection } from '../../../schemas/inspections/inspection.ts';
import { inspectionRecords } from '../../inspection-core/record.ts';
import { change } from '../../table/change.ts';
import { hasValues } from '../../table/conditions.ts';
import type { ExportedFile, StoredBulkExport, StoredBulkItem } from '../../table/entities.ts';
import { type Key, keys } from '../../table/keys.ts';
import { getRow, getRows, readRows, withoutKeys } from '../../table/rows.ts';
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

const hasEnded = ({ status }: Pick<StoredBulkExport, 'status'>): boolean =>
  status === 'ready' || status === 'failed';

/** A bulk export as its worker holds it. */
export interface BulkWork {
  stored: StoredBulkExport;
  /** In the order of the file. One that was not begun yet is the id of its inspection. */
  items: (StoredBulkItem | string)[];
}

/** Whether an error means that another worker has taken the bulk export. */
export const isHeld = (error: unknown): boolean =>
  error instanceof ApiError && error.code === errors.exportHeld.code;

/** The worker still has its turn. A worker that has lost it writes nothing. */
const hasTurn = ({ turn }: StoredBulkExport) => hasValues({ turn });

const heldElsewhere =
  ({ id }: StoredBulkExport) =>
  () =>
    errors.exportHeld(id);

/** Changes a bulk export, and what is below it, in the turn of its worker. @throws ApiError `export_held` */
const changeInTurn = (
  caller: Caller,
  stored: StoredBulkExport,
  changes: Parameters<typeof write.update>[1],
  ...also: Write[]
): Promise<void> =>
  change(caller, () => ({
    writes: [
      write.update(keys.one(caller, KIND, stored.id), changes, hasTurn(stored), heldElsewhere(stored)),
      ...also,
    ],
    reply: undefined,
  }));

/**
 * Takes a bulk export for this worker. Undefined when it has ended before, or was handed on to a later task.
 * @param handedOn of the task; without it, whatever was handed on
 * @throws ApiError `export_held` while another worker holds it
 */
export const begin = async (caller: Caller, id: string, handedOn?: number): Promise<BulkWork | undefined> => {
  const row = await getRow(caller, keys.one(caller, KIND, id));
  if (!row || hasEnded(row) || (handedOn !== undefined && handedOn < row.handed_on)) return undefined;
  if (row.leased_until > Date.now()) throw errors.exportHeld(id);
  const stored = withoutKeys(row);
  const set = { status: 'running', turn: stored.turn + 1, leased_until: Date.now() + LEASE_MS } as const;
  await changeInTurn(caller, stored, { set });
  return { stored: { ...stored, ...set }, items: await readItems(caller, id) };
};

/** Lets another worker take it. With `again`, one does so at once and goes on. */
export const release = (caller: Caller, { stored }: BulkWork, again: boolean): Promise<void> => {
  const handed_on = stored.handed_on + Number(again);
  const next = again ? [turnTask(caller, { ...stored, handed_on })] : [];
  return changeInTurn(caller, stored, { set: { leased_until: 0, handed_on } }, ...next);
};

const itemKey = (caller: Caller, { stored }: BulkWork, position: number): Key<StoredBulkItem> =>
  keys.bulkItem(caller, stored.id, position);

const itemRow = (caller: Caller, work: BulkWork, position: number, item: StoredBulkItem): Write =>
  write.put({ ...item, ...itemKey(caller, work, position), ttl: ttlOf(work.stored) });

/** The worker still has its turn, in a change of something else. */
const checkTurn = (caller: Caller, { stored }: BulkWork): Write =>
  write.check(keys.one(caller, KIND, stored.id), heldElsewhere(stored), hasTurn(stored));

/**
 * Begins an item.
 * @returns whether it may be made; not so when it was begun so often that it must be what ends the worker
 */
export const beginItem = async (caller: Caller, work: BulkWork, position: number): Promise<boolean> => {
  const item = work.items[position]!;
  const begun: StoredBulkItem =
    typeof item === 'string'
      ? { inspection_id: item, ...UNSTARTED, status: 'running', attempts: 1 }
      : { ...item, attempts: item.attempts + 1 };
  work.items[position] = begun;
  if (begun.attempts > MAX_ATTEMPTS) return false;
  await change(caller, () => ({
    writes: [checkTurn(caller, work), itemRow(caller, work, position, begun)],
    reply: undefined,
  }));
  return true;
};

/** Notes the report of an item, in the transaction that may create it. */
export const noteReport = (
  caller: Caller,
  work: BulkWork,
  position: number,
  { id: report_id }: { id: string },
): Write[] => [
  checkTurn(caller, work),
  write.update(itemKey(caller, work, position), { set: { report_id } }),
];

const countOf = ({ status }: StoredBulkItem) => ({
  done: Number(status === 'ready'),
  failed: Number(status === 'failed'),
});

/** Ends an item, and counts it. @param bytes of a file that was stored for it alone */
export const endItem = async (
  caller: Caller,
  work: BulkWork,
  position: number,
  outcome: Pick<StoredBulkItem, 'report_id' | 'error'>,
  bytes = 0,
): Promise<void> => {
  const former = work.items[position] as StoredBulkItem;
  const item: StoredBulkItem = { ...former, ...outcome, status: outcome.error === null ? 'ready' : 'failed' };
  work.items[position] = item;
  const [before, after] = [countOf(former), countOf(item)];
  await changeInTurn(
    caller,
    work.stored,
    {
      set: { updated_at: new Date().toISOString() },
      add: { done: after.done - before.done, failed: after.failed - before.failed },
    },
    itemRow(caller, work, position, item),
    ...(bytes > 0 ? [countExportedBytes(caller, bytes)] : []),
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
export const readyReports = async (caller: Caller, work: BulkWork): Promise<ReadyReports> => {
  const ready = work.items.flatMap((item, position) =>
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
    else await endItem(caller, work, position, { report_id: item.report_id, error: DELETED });
  }
  return { reports, timezone: organization!.timezone };
};

/** Ends a bulk export. @throws ApiError `export_held` when another worker has taken it */
export const end = (
  caller: Caller,
  { stored }: BulkWork,
  outcome: (ExportedFile & { status: 'ready'; filename: string }) | { status: 'failed'; error: string },
): Promise<void> =>
  changeInTurn(
    caller,
    stored,
    { set: { ...outcome, leased_until: 0, updated_at: new Date().toISOString() } },
    ...(outcome.status === 'ready' ? [countExportedBytes(caller, outcome.size_bytes)] : []),
  );

/**
 * A bulk export as it stands, to be ended as failed. Undefined when it has ended.
 * @param evenHeld whether also one that a worker holds
 */
export const unended = async (
  caller: Caller,
  id: string,
  evenHeld: boolean,
): Promise<BulkWork | undefined> => {
  const row = await getRow(caller, keys.one(caller, KIND, id));
  if (!row || hasEnded(row) || (row.leased_until > Date.now() && !evenHeld)) return undefined;
  return { stored: withoutKeys(row), items: await readItems(caller, id) };
};
