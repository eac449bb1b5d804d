import { v7 as uuidv7 } from 'uuid';
import { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import {
  type BulkExport,
  type BulkExportItem,
  type BulkExportSummary,
  MAX_BULK_INSPECTIONS,
  type NewBulkExport,
} from '../../schemas/reports/report-export.ts';
import { inspectionRecords } from '../inspection-core/record.ts';
import { selectIds } from '../inspections/lists.ts';
import { change } from '../table/change.ts';
import { hasValues } from '../table/conditions.ts';
import type { BulkSelection, ExportedFile, StoredBulkExport, StoredBulkItem } from '../table/entities.ts';
import { type Key, keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { getRow, getRows, isPart, queryRows, readRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { checkExportRoom, countExportedBytes } from './exported-bytes.ts';
import { KEPT_SECONDS, MAX_EXPORT_AGE_MS } from './exports.ts';
import { reportKey } from './reports.ts';

const KIND = 'BULK_EXPORT';
const NOUN = 'export';

/**
 * How long a worker holds a bulk export, in milliseconds: as long as it works on a task (`inTime`), and not until the task
 * is delivered again after its function crashed. A worker that is slower than that finds the turn moved.
 */
const LEASE_MS = 295_000;

/** How often the report of one inspection is begun before it counts as failed: it may be what ends the worker. */
const MAX_ATTEMPTS = 3;

const UNSTARTED = { report_id: null, status: 'queued', error: null } as const;

const toSummary = (
  { turn: _turn, leased_until: _lease, handed_on: _handed, ...stored }: StoredBulkExport,
  url: string | null = null,
): BulkExportSummary => {
  const isExpired = Date.parse(stored.expires_at) <= Date.now();
  const isReady = stored.status === 'ready' && !isExpired;
  return {
    ...stored,
    status: isExpired ? 'expired' : stored.status,
    url: isReady ? url : null,
    filename: isReady ? stored.filename : null,
  };
};

/** The inspections that a request names or filters, in their order. @throws ApiError 400; 409 for none or too many */
const selected = async (
  caller: Caller,
  { inspection_ids, filter = {} }: NewBulkExport,
): Promise<string[]> => {
  if (inspection_ids) return inspection_ids;
  const ids = await selectIds(caller, filter, MAX_BULK_INSPECTIONS + 1);
  if (ids.length === 0) throw errors.nothingToExport();
  if (ids.length > MAX_BULK_INSPECTIONS) throw errors.tooManyToExport(MAX_BULK_INSPECTIONS);
  return ids;
};

/** @throws ApiError 400 for an inspection or a layout that the organization does not have */
const checkReferences = async (caller: Caller, ids: readonly string[], layoutId: string | null) => {
  const inspections = await getRows(
    caller,
    ids.map((id) => inspectionRecords.key(caller, id)),
  );
  if (inspections.includes(undefined)) throw errors.referenceNotFound('inspection_ids');
  if (layoutId === null) return;
  const families = new Set(inspections.map((inspection) => inspection!.template_family_id));
  const layouts = await getRows(
    caller,
    Array.from(families, (family) => keys.layout(caller, family, layoutId)),
  );
  if (layouts.every((layout) => layout === undefined)) throw errors.referenceNotFound('layout_id');
};

/** A task of the queue of bulk exports. */
export interface BulkTask {
  bulk_export_id: string;
  handed_on: number;
}

const turnTask = (caller: Caller, { id, handed_on }: StoredBulkExport): Write => {
  const task: BulkTask = { bulk_export_id: id, handed_on };
  return enqueue(caller, 'bulk', { ...task });
};

/**
 * Creates a bulk export, which the worker makes. One call per 100 inspections, beside those of the list for a filter.
 * @throws ApiError 400 for the inspections or the layout; 409 for a filter that no inspection passes, or too many
 */
export const create = async (caller: Caller, wanted: NewBulkExport): Promise<BulkExport> => {
  const inspection_ids = await selected(caller, wanted);
  await checkReferences(caller, inspection_ids, wanted.layout_id);
  await checkExportRoom(caller);
  const now = Date.now();
  const created_at = new Date(now).toISOString();
  const { format, bundle, layout_id, language } = wanted;
  const stored: StoredBulkExport = {
    id: uuidv7({ msecs: now }),
    status: 'queued',
    format,
    bundle,
    layout_id,
    language,
    total: inspection_ids.length,
    done: 0,
    failed: 0,
    error: null,
    filename: null,
    size_bytes: null,
    sha256: null,
    requested_by: caller.user_id,
    expires_at: new Date(now + MAX_EXPORT_AGE_MS).toISOString(),
    created_at,
    updated_at: created_at,
    turn: 0,
    leased_until: 0,
    handed_on: 0,
  };
  const ttl = ttlOf(stored);
  return change(caller, () => ({
    writes: [
      write.create({ ...stored, ...keys.one(caller, KIND, stored.id), ttl }),
      write.create({ inspection_ids, ...keys.bulkSelection(caller, stored.id), ttl }),
      turnTask(caller, stored),
    ],
    reply: {
      ...toSummary(stored),
      items: inspection_ids.map((inspection_id) => ({ inspection_id, ...UNSTARTED })),
    },
  }));
};

const ttlOf = ({ created_at }: StoredBulkExport): number =>
  Math.floor(Date.parse(created_at) / 1_000) + KEPT_SECONDS;

/** Newest first, without their items. @throws ApiError 422 for a cursor of another list */
export const list = (caller: Caller, query: ListQuery): Promise<Listing<BulkExportSummary>> => {
  const rows = queryRows(caller, {
    partition: keys.all(caller, KIND),
    after: readCursor(caller, NOUN, query),
    updatedSince: query.updated_since,
    newestFirst: true,
  });
  return listing(
    caller,
    NOUN,
    query,
    rows,
    ({ sk }) => sk,
    (row) => toSummary(withoutKeys(row)),
  );
};

/** The inspections of a bulk export, and the items that the worker has begun, by position. */
const readItems = async (caller: Caller, id: string) => {
  let selection: BulkSelection = { inspection_ids: [] };
  const items: StoredBulkItem[] = [];
  // One page holds the items of the largest export, the selection, and the end.
  const rows = { partition: keys.below(caller, KIND, id), pageSize: MAX_BULK_INSPECTIONS + 2 };
  for await (const row of queryRows(caller, rows)) {
    if (isPart(row, 'SELECTION')) selection = row;
    if (isPart(row, 'ITEM')) items.push(withoutKeys(row));
  }
  const byInspection = new Map(items.map((item) => [item.inspection_id, item]));
  return selection.inspection_ids.map((inspection_id) => byInspection.get(inspection_id) ?? inspection_id);
};

const toItem = (item: StoredBulkItem | string): BulkExportItem => {
  if (typeof item === 'string') return { inspection_id: item, ...UNSTARTED };
  const { inspection_id, report_id, status, error } = item;
  return { inspection_id, report_id, status, error };
};

/** The file of a bulk export, for its URL. Each turn makes its own, so that a worker that is late overwrites none. */
export type BulkFile = Pick<StoredBulkExport, 'id' | 'turn'> & { filename: string };

/** @param sign makes the URL of the file; called only when the file exists. @throws ApiError 404 */
export const get = async (
  caller: Caller,
  id: string,
  sign: (file: BulkFile) => Promise<string>,
): Promise<BulkExport> => {
  const row = await getRow(caller, keys.one(caller, KIND, id));
  if (!row) throw errors.notFound(NOUN);
  const stored = withoutKeys(row);
  const { filename } = toSummary(stored);
  const url = filename === null ? null : await sign({ id, turn: stored.turn, filename });
  return { ...toSummary(stored, url), items: (await readItems(caller, id)).map(toItem) };
};

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
