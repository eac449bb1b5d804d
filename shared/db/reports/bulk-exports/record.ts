import type { Caller } from '../../../base/caller.ts';
import { keptFrom } from '../../../base/time.ts';
import { present } from '../../../schemas/projection.ts';
import { BulkExportSummary, MAX_BULK_INSPECTIONS } from '../../../schemas/reports/report-export.ts';
import type { Work } from '../../table/change.ts';
import type { BulkSelection, StoredBulkExport, StoredBulkItem } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { isPart, queryRows, withoutKeys } from '../../table/rows.ts';
import type { Write } from '../../table/writes.ts';
import { KEPT_SECONDS } from '../exports.ts';

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

/** Hands a bulk export on to a worker, in the transaction of a change. */
export const turnTask = (work: Work, { id, handed_on }: StoredBulkExport): Write =>
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
