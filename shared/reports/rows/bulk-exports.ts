import { v7 as uuidv7 } from 'uuid';
import { ApiError } from '../../base/api-error.ts';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { keptFrom, timeAfter } from '../../base/time.ts';
import { selectIds } from '../../inspections/lists.ts';
import { inspectionRecords } from '../../inspections/rows/inspection-records.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import { present } from '../../schemas/projection.ts';
import {
  BulkExport,
  type BulkExportItem,
  BulkExportSummary,
  MAX_BULK_INSPECTIONS,
  type NewBulkExport,
} from '../../schemas/reports/report-export.ts';
import { change, type Work } from '../../table/change.ts';
import type {
  BulkSelection,
  ExportedFile,
  StoredBulkExport,
  StoredBulkItem,
  StoredInspection,
} from '../../table/entities/inspections.ts';
import { job } from '../../table/job.ts';
import { type Key, keys } from '../../table/keys.ts';
import { type Listing, type ListQuery, listRows } from '../../table/listing.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { getRow, getRows, isPart, queryRows, readRows, withoutKeys } from '../../table/rows.ts';
import { leaveSlot, takeSlot } from '../../table/slots.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { checkExportRoom, countExportedBytes, KEPT_SECONDS, MAX_EXPORT_AGE_MS } from './exports.ts';
import { reportKey } from './reports.ts';

export const KIND = 'BULK_EXPORT';
export const NOUN = 'export';

/** An item that no worker has begun. */
export const UNSTARTED = { report_id: null, status: 'queued', error: null } as const;

export const toSummary = (stored: StoredBulkExport, url: string | null = null): BulkExportSummary => {
  const isExpired = Date.parse(stored.expires_at) <= Date.now();
  const isReady = stored.status === 'ready' && !isExpired;
  return present(BulkExportSummary, stored, {
    status: isExpired ? 'expired' : stored.status,
    url: isReady ? url : null,
    filename: isReady ? stored.filename : null,
  });
};

export const ttlOf = ({ created_at }: StoredBulkExport): number => keptFrom(created_at, KEPT_SECONDS);

/** Makes a task for a bulk export, in the transaction of a change. */
export const bulkTask = (work: Work, { id, handed_on }: StoredBulkExport): Write =>
  enqueue(work, 'bulk', { bulk_export_id: id, handed_on });

/** The inspections of a bulk export, and the items that the worker has begun, by position. */
export const readItems = async (caller: Caller, id: string) => {
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

/**
 * The ids of the inspections that a request names or filters, in their order.
 * @throws ApiError 409 for none or too many
 */
const selected = async (
  caller: Caller,
  { inspection_ids, filter = {} }: NewBulkExport,
): Promise<string[]> => {
  if (inspection_ids) return inspection_ids;
  const ids = await selectIds(caller, filter, MAX_BULK_INSPECTIONS + 1);
  if (ids.length === 0) throw errors.nothingToExport(0);
  if (ids.length > MAX_BULK_INSPECTIONS) throw errors.tooManyToExport(MAX_BULK_INSPECTIONS);
  return ids;
};

/** @throws ApiError 400 for an inspection or a layout that the organization does not have */
const readInspections = async (
  caller: Caller,
  ids: readonly string[],
  layoutId: string | null,
): Promise<StoredInspection[]> => {
  const rows = await getRows(
    caller,
    ids.map((id) => inspectionRecords.key(caller, id)),
  );
  const inspections = rows.filter((row) => row !== undefined);
  if (inspections.length < ids.length) throw errors.referenceNotFound('inspection_ids');
  if (layoutId === null) return inspections;
  const families = new Set(inspections.map(({ template_family_id }) => template_family_id));
  const layouts = await getRows(
    caller,
    Array.from(families, (family) => keys.layout(caller, family, layoutId)),
  );
  if (layouts.every((layout) => layout === undefined)) throw errors.referenceNotFound('layout_id');
  return inspections;
};

/** Whether anybody has answered something in an inspection. */
const isAnswered = ({ answered, start_answers }: StoredInspection): boolean =>
  answered > 0 || Object.keys(start_answers).length > 0;

/**
 * The inspections of a request, in their order, and how many were left out because nothing in them is answered.
 * @throws ApiError 400 for the inspections or the layout; 409 for none or too many
 */
const chosen = async (caller: Caller, wanted: NewBulkExport) => {
  const ids = await selected(caller, wanted);
  const inspections = await readInspections(caller, ids, wanted.layout_id);
  const isAll = wanted.inspection_ids !== undefined || wanted.include_unanswered;
  const inspection_ids = inspections.filter((each) => isAll || isAnswered(each)).map(({ id }) => id);
  if (inspection_ids.length === 0) throw errors.nothingToExport(ids.length);
  return { inspection_ids, skipped: ids.length - inspection_ids.length };
};

/**
 * Creates a bulk export, which the worker makes. One call per 100 inspections, beside those of the list for a filter.
 * @throws ApiError 400 for the inspections or the layout; 409 for a filter that no inspection passes, or too many;
 * 429 when as many wait as the organization may have
 */
export const create = async (caller: Caller, wanted: NewBulkExport): Promise<BulkExport> => {
  const { inspection_ids, skipped } = await chosen(caller, wanted);
  await checkExportRoom(caller);
  const { format, bundle, layout_id, language } = wanted;
  return change(caller, async (work) => {
    const { now } = work;
    const id = uuidv7({ msecs: Date.parse(now) });
    const key = keys.one(work, KIND, id);
    const { slot, writes } = await takeSlot(work, 'BULK_EXPORT', key);
    const stored: StoredBulkExport = {
      id,
      status: 'queued',
      format,
      bundle,
      layout_id,
      language,
      total: inspection_ids.length,
      done: 0,
      failed: 0,
      skipped,
      error: null,
      filename: null,
      size_bytes: null,
      sha256: null,
      requested_by: work.user_id,
      expires_at: timeAfter(now, MAX_EXPORT_AGE_MS),
      created_at: now,
      updated_at: now,
      turn: 0,
      leased_until: 0,
      handed_on: 0,
      slot,
    };
    const ttl = ttlOf(stored);
    return {
      writes: [
        write.create({ ...stored, ...key, ttl }),
        ...writes,
        write.create({ inspection_ids, ...keys.bulkSelection(work, stored.id), ttl }),
        bulkTask(work, stored),
      ],
      reply: {
        ...toSummary(stored),
        items: inspection_ids.map((inspection_id) => ({ inspection_id, ...UNSTARTED })),
      },
    };
  });
};

/** Newest first, without their items. @throws ApiError 422 for a cursor of another list */
export const list = (caller: Caller, query: ListQuery): Promise<Listing<BulkExportSummary>> =>
  listRows(caller, NOUN, query, { partition: keys.all(caller, KIND), newestFirst: true }, (row) =>
    toSummary(row),
  );

/** An item as it is sent to clients. @param item the id of its inspection when no worker has begun it */
const toItem = (item: StoredBulkItem | string): BulkExportItem =>
  typeof item === 'string' ? { inspection_id: item, ...UNSTARTED } : item;

/** The file of a bulk export, for its URL. Each turn makes its own file, so a late worker overwrites none. */
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
  return present(BulkExport, toSummary(stored, url), {
    items: (await readItems(caller, id)).map(toItem),
  });
};

/**
 * How long a worker holds a bulk export, in milliseconds: as long as it works on a task (`inTime`), but shorter than
 * the time after which a crashed function's task is delivered again. A slower worker has lost the export.
 */
const LEASE_MS = 295_000;

/** How often the report of one inspection is begun before it counts as failed: it may crash the worker each time. */
const MAX_ATTEMPTS = 3;

const bulkJob = job<StoredBulkExport>({
  key: (caller, { id }) => keys.one(caller, KIND, id),
  hasEnded: ({ status }) => status === 'ready' || status === 'failed',
  guard: ['turn', 'status'],
  begun: ({ turn }) => ({ status: 'running', turn: turn + 1 }),
  lease: LEASE_MS,
  task: bulkTask,
  lost: ({ id }) => errors.exportHeld(id),
});

/** A bulk export as its worker holds it. */
export interface HeldBulkExport {
  stored: StoredBulkExport;
  /** In the order of the file. An item that no worker has begun is the id of its inspection. */
  items: (StoredBulkItem | string)[];
}

/** Whether an error means that another worker has taken the bulk export. */
export const isHeld = (error: unknown): boolean =>
  error instanceof ApiError && error.code === errors.exportHeld.code;

const findRow = (caller: Caller, id: string) => getRow(caller, keys.one(caller, KIND, id));

/**
 * Takes a bulk export for this worker. Undefined when it has ended, or was handed on to a later task.
 * @param handedOn the task's count; any task where left out
 * @throws ApiError `export_held` while another worker holds it
 */
export const begin = async (
  caller: Caller,
  id: string,
  handedOn?: number,
): Promise<HeldBulkExport | undefined> => {
  const stored = await change(caller, async (work) =>
    bulkJob.take(work, await findRow(caller, id), handedOn),
  );
  return stored && { stored, items: await readItems(caller, id) };
};

/** Lets another worker take it. With `again`, a new task asks one to go on at once. @throws ApiError `export_held` */
export const release = async (caller: Caller, { stored }: HeldBulkExport, again: boolean): Promise<void> => {
  await change(caller, (work) => (again ? bulkJob.handOn(work, stored) : bulkJob.release(work, stored)));
};

const itemKey = (caller: Caller, { stored }: HeldBulkExport, position: number): Key<StoredBulkItem> =>
  keys.bulkItem(caller, stored.id, position);

const itemRow = (caller: Caller, bulk: HeldBulkExport, position: number, item: StoredBulkItem): Write =>
  write.put({ ...item, ...itemKey(caller, bulk, position), ttl: ttlOf(bulk.stored) });

/**
 * Begins an item.
 * @returns whether it may be made; false when it was begun so often that it probably crashes the worker
 */
export const beginItem = async (caller: Caller, bulk: HeldBulkExport, position: number): Promise<boolean> => {
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

const countOf = ({ status }: StoredBulkItem) => ({
  done: Number(status === 'ready'),
  failed: Number(status === 'failed'),
});

/** Ends an item, and counts it. @param bytes of a file that was stored for it alone */
export const endItem = async (
  caller: Caller,
  bulk: HeldBulkExport,
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

/** Why an item has no part any more. */
export const DELETED = 'The inspection was deleted.';

/** Whether the inspection of an item was deleted. One call. */
export const isDeleted = async (caller: Caller, { inspection_id }: StoredBulkItem): Promise<boolean> =>
  !(await getRow(caller, inspectionRecords.key(caller, inspection_id)));

/** A part of the file of a bulk export. */
export interface ReadyPart extends Pick<StoredBulkItem, 'inspection_id' | 'report_id'> {
  inspection: Pick<Inspection, 'number' | 'name'>;
}

export interface ReadyParts {
  parts: ReadyPart[];
  /** Of the organization. */
  timezone: string;
}

/** The keys of the rows that an item needs until the file is made. */
const keysOf = (caller: Caller, { inspection_id, report_id }: StoredBulkItem) =>
  [
    inspectionRecords.key(caller, inspection_id),
    report_id === null ? undefined : reportKey(caller, { inspection_id, id: report_id }),
  ] as const;

/**
 * The parts that are ready, in the order of the file. One call per 50. An item fails when its inspection, or the report
 * that it has, was deleted meanwhile.
 */
export const readyParts = async (caller: Caller, bulk: HeldBulkExport): Promise<ReadyParts> => {
  const ready = bulk.items.flatMap((item, position) =>
    typeof item !== 'string' && item.status === 'ready' ? [{ item, position }] : [],
  );
  const organizationKey = keys.organization(caller);
  const rowsOf = await readRows(caller, [
    organizationKey,
    ...ready.flatMap(({ item }) => keysOf(caller, item)),
  ]);
  const [organization] = rowsOf([organizationKey]);
  const parts: ReadyPart[] = [];
  for (const { item, position } of ready) {
    const { inspection_id, report_id } = item;
    const [inspection, report] = rowsOf(keysOf(caller, item));
    if (inspection && (report || report_id === null)) parts.push({ inspection_id, report_id, inspection });
    else await endItem(caller, bulk, position, { report_id, error: DELETED });
  }
  return { parts, timezone: organization!.timezone };
};

/** Ends a bulk export. @throws ApiError `export_held` when another worker has taken it */
export const end = async (
  caller: Caller,
  { stored }: HeldBulkExport,
  outcome: (ExportedFile & { status: 'ready'; filename: string }) | { status: 'failed'; error: string },
): Promise<void> => {
  await change(caller, (work) =>
    bulkJob.end(
      work,
      stored,
      { ...outcome, slot: null, updated_at: work.now },
      ...leaveSlot(work, 'BULK_EXPORT', stored),
      ...(outcome.status === 'ready' ? [countExportedBytes(work, outcome.size_bytes)] : []),
    ),
  );
};

/**
 * A bulk export that must be ended as failed. Undefined when it has ended.
 * @param untakenAt ISO 8601: then only if no worker holds it at that time
 */
export const unended = async (
  caller: Caller,
  id: string,
  untakenAt?: string,
): Promise<HeldBulkExport | undefined> => {
  const stored = bulkJob.unended(await findRow(caller, id), untakenAt);
  return stored && { stored, items: await readItems(caller, id) };
};
