import type { Caller } from '../../base/caller.ts';
import {
  type Correction,
  type CorrectionQuery,
  Revision,
  type RevisionPage,
  type RevisionQuery,
} from '../../schemas/inspections/correction.ts';
import { present } from '../../schemas/projection.ts';
import { inspectionRecords } from '../inspection-core/inspection-record.ts';
import { revisionOf } from '../inspection-core/revisions.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, pageOf, readCursor } from '../table/listing.ts';
import { queryRows } from '../table/rows.ts';
import { readCorrection, toCorrection } from './record.ts';

/** The corrections of an inspection, in the order in which they were opened. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: CorrectionQuery,
): Promise<Listing<Correction>> => {
  const name = `CORRECTION ${inspectionId}`;
  const after = readCursor(caller, name, query);
  const inspection = await inspectionRecords.get(caller, inspectionId);
  const found = queryRows(caller, {
    ...keys.parts(caller, 'INSPECTION', inspectionId, 'CORRECTION'),
    after,
    updatedSince: query.updated_since,
    where: { status: query.status && [query.status] },
  });
  return listing(
    caller,
    name,
    query,
    found,
    ({ sk }) => sk,
    (row) => toCorrection(row, inspection),
  );
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, inspectionId: string, id: string): Promise<Correction> => {
  const { inspection, correction } = await readCorrection(caller, inspectionId, id);
  return toCorrection(correction, inspection);
};

/**
 * The changes of a correction, the oldest first. A cursor names a place in the sequence, so it stays valid while
 * changes are added.
 * @throws ApiError 404; 422 for the cursor of another list
 */
export const listRevisions = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  query: RevisionQuery,
): Promise<RevisionPage> => {
  const name = `REVISION ${id}`;
  const after = readCursor(caller, name, query);
  await readCorrection(caller, inspectionId, id);
  const found = queryRows(caller, {
    ...keys.revision.range(caller, inspectionId, id),
    after,
    where: {
      answer_source: [
        'body',
        ...(query.include_start ? (['start'] as const) : []),
        ...(query.include_setup ? (['setup'] as const) : []),
      ],
    },
    pageSize: query.limit + 1,
  });
  const { page, next = null } = await pageOf(
    caller,
    name,
    query,
    found,
    ({ sk }) => sk,
    (row) => present(Revision, revisionOf(row).revision),
  );
  return { items: page, next_cursor: next };
};
