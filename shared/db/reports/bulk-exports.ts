import { v7 as uuidv7 } from 'uuid';
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
import { getRow, getRows, isPart, queryRows, withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { checkExportRoom, countExportedBytes } from './exported-bytes.ts';
import { KEPT_SECONDS, MAX_EXPORT_AGE_MS } from './exports.ts';

const KIND = 'BULK_EXPORT';
const NOUN = 'export';

/** How long a worker holds a bulk export, in milliseconds: longer than its function may run. */
const LEASE_MS = 310_000;

/** How often the report of one inspection is begun before it counts as failed: it may be what ends the worker. */
const MAX_ATTEMPTS = 3;

const UNSTARTED = { report_id: null, status: 'queued', error: null } as const;

const toSummary = (
  { turn: _turn, leased_until: _lease, ...stored }: StoredBulkExport,
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

const turnTask = (caller: Caller, id: string): Write => enqueue(caller, 'bulk', { bulk_export_id: id });

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
  };
  const ttl = ttlOf(stored);
  return change(caller, () => ({
    writes: [
      write.create({ ...stored, ...keys.one(caller, KIND, stored.id), ttl }),
      write.create({ inspection_ids, ...keys.bulkSelection(caller, stored.id), ttl }),
      turnTask(caller, stored.id),
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
  for await (const row of queryRows(caller, { partition: keys.below(caller, KIND, id) })) {
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

/** @param sign makes the URL of the file; called only when the file exists. @throws ApiError 404 */
export const get = async (
  caller: Caller,
  id: string,
  sign: (file: { id: string; filename: string }) => Promise<string>,
): Promise<BulkExport> => {
  const row = await getRow(caller, keys.one(caller, KIND, id));
  if (!row) throw errors.notFound(NOUN);
  const stored = withoutKeys(row);
  const { filename } = toSummary(stored);
  const url = filename === null ? null : await sign({ id, filename });
  return { ...toSummary(stored, url), items: (await readItems(caller, id)).map(toItem) };
};

/** A bulk export as its worker holds it. */
export interface BulkWork {
  stored: StoredBulkExport;
  /** In the order of the file. One that was not begun yet is the id of its inspection. */
  items: (StoredBulkItem | string)[];
}

const moveTurn = (
  caller: Caller,
  { id, turn }: StoredBulkExport,
  set: Partial<StoredBulkExport>,
  ...also: Write[]
): Promise<void> =>
  change(caller, () => ({
    writes: [write.update(keys.one(caller, KIND, id), { set }, hasValues({ turn })), ...also],
    reply: undefined,
  }));

/**
 * Takes a bulk export for this worker. Undefined when it has ended before.
 * @throws Error while another worker holds it
 */
export const begin = async (caller: Caller, id: string): Promise<BulkWork | undefined> => {
  const row = await getRow(caller, keys.one(caller, KIND, id));
  if (!row || row.status === 'ready' || row.status === 'failed') return undefined;
  if (row.leased_until > Date.now()) throw new Error('another worker makes this export');
  const stored = withoutKeys(row);
  const held: StoredBulkExport = {
    ...stored,
    status: 'running',
    turn: stored.turn + 1,
    leased_until: Date.now() + LEASE_MS,
  };
  const { status, turn, leased_until } = held;
  await moveTurn(caller, stored, { status, turn, leased_until });
  return { stored: held, items: await readItems(caller, id) };
};

/** Lets another worker take it. With `again`, one does so at once and goes on. */
export const release = (caller: Caller, { stored }: BulkWork, again: boolean): Promise<void> =>
  moveTurn(caller, stored, { leased_until: 0 }, ...(again ? [turnTask(caller, stored.id)] : []));

const itemKey = (caller: Caller, { stored }: BulkWork, position: number): Key<StoredBulkItem> =>
  keys.bulkItem(caller, stored.id, position);

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
    writes: [write.put({ ...begun, ...itemKey(caller, work, position), ttl: ttlOf(work.stored) })],
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
): Write => write.update(itemKey(caller, work, position), { set: { report_id } });

/** Ends an item, and counts it. */
export const endItem = async (
  caller: Caller,
  work: BulkWork,
  position: number,
  outcome: Pick<StoredBulkItem, 'report_id' | 'error'>,
): Promise<void> => {
  const status = outcome.error === null ? 'ready' : 'failed';
  const item: StoredBulkItem = { ...(work.items[position] as StoredBulkItem), ...outcome, status };
  work.items[position] = item;
  const { id, turn } = work.stored;
  const set = { updated_at: new Date().toISOString() };
  await change(caller, () => ({
    writes: [
      write.put({ ...item, ...itemKey(caller, work, position), ttl: ttlOf(work.stored) }),
      write.update(
        keys.one(caller, KIND, id),
        { set, add: status === 'ready' ? { done: 1 } : { failed: 1 } },
        hasValues({ turn }),
      ),
    ],
    reply: undefined,
  }));
};

/** A report for the file of a bulk export. */
export interface ReadyReport {
  report_id: string;
  inspection: Pick<Inspection, 'number' | 'name'>;
}

/** The reports that are ready, in the order of the file. One call per 100. */
export const readyReports = async (caller: Caller, { items }: BulkWork): Promise<ReadyReport[]> => {
  const ready = items.filter(
    (item): item is StoredBulkItem & { report_id: string } =>
      typeof item !== 'string' && item.status === 'ready' && item.report_id !== null,
  );
  const inspections = await getRows(
    caller,
    ready.map(({ inspection_id }) => inspectionRecords.key(caller, inspection_id)),
  );
  // An inspection that was deleted meanwhile has no name any more. Its report is gone with it.
  return ready.flatMap(({ report_id }, position) => {
    const inspection = inspections[position];
    return inspection ? [{ report_id, inspection }] : [];
  });
};

/** Ends a bulk export. */
export const end = (
  caller: Caller,
  { stored }: BulkWork,
  outcome: (ExportedFile & { status: 'ready'; filename: string }) | { status: 'failed'; error: string },
): Promise<void> =>
  moveTurn(
    caller,
    stored,
    { ...outcome, leased_until: 0, updated_at: new Date().toISOString() },
    ...(outcome.status === 'ready' ? [countExportedBytes(caller, outcome.size_bytes)] : []),
  );

/** Ends a bulk export as failed, whoever holds it. It may be repeated. */
export const giveUp = (caller: Caller, id: string, error: string): Promise<void> =>
  change(caller, async () => {
    const row = await getRow(caller, keys.one(caller, KIND, id));
    if (!row || row.status === 'ready' || row.status === 'failed') return { writes: [], reply: undefined };
    const set = { status: 'failed', error, leased_until: 0, updated_at: new Date().toISOString() };
    return {
      writes: [write.update(keys.one(caller, KIND, id), { set }, hasValues({ turn: row.turn }))],
      reply: undefined,
    };
  });
