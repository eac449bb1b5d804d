import { v7 as uuidv7 } from 'uuid';
import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { timeAfter } from '../../../base/time.ts';
import {
  type BulkExport,
  MAX_BULK_INSPECTIONS,
  type NewBulkExport,
} from '../../../schemas/reports/report-export.ts';
import { inspectionRecords } from '../../inspection-core/inspection-record.ts';
import { selectIds } from '../../inspections/lists.ts';
import { change } from '../../table/change.ts';
import type { StoredBulkExport } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { getRows } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { checkExportRoom } from '../exported-bytes.ts';
import { MAX_EXPORT_AGE_MS } from '../exports.ts';
import { KIND, toSummary, ttlOf, turnTask, UNSTARTED } from './record.ts';

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

/**
 * Creates a bulk export, which the worker makes. One call per 100 inspections, beside those of the list for a filter.
 * @throws ApiError 400 for the inspections or the layout; 409 for a filter that no inspection passes, or too many
 */
export const create = async (caller: Caller, wanted: NewBulkExport): Promise<BulkExport> => {
  const inspection_ids = await selected(caller, wanted);
  await checkReferences(caller, inspection_ids, wanted.layout_id);
  await checkExportRoom(caller);
  const { format, bundle, layout_id, language } = wanted;
  return change(caller, (work) => {
    const { now } = work;
    const stored: StoredBulkExport = {
      id: uuidv7({ msecs: Date.parse(now) }),
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
      requested_by: work.user_id,
      expires_at: timeAfter(now, MAX_EXPORT_AGE_MS),
      created_at: now,
      updated_at: now,
      turn: 0,
      leased_until: 0,
      handed_on: 0,
    };
    const ttl = ttlOf(stored);
    return {
      writes: [
        write.create({ ...stored, ...keys.one(work, KIND, stored.id), ttl }),
        write.create({ inspection_ids, ...keys.bulkSelection(work, stored.id), ttl }),
        turnTask(work, stored),
      ],
      reply: {
        ...toSummary(stored),
        items: inspection_ids.map((inspection_id) => ({ inspection_id, ...UNSTARTED })),
      },
    };
  });
};
