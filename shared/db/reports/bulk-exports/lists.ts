import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { present } from '../../../schemas/projection.ts';
import {
  BulkExport,
  type BulkExportItem,
  type BulkExportSummary,
} from '../../../schemas/reports/report-export.ts';
import type { StoredBulkExport, StoredBulkItem } from '../../table/entities.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../../table/listing.ts';
import { getRow, queryRows, withoutKeys } from '../../table/rows.ts';
import { KIND, NOUN, readItems, toSummary, UNSTARTED } from './record.ts';

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
    (row) => toSummary(row),
  );
};

/** An item that was begun, or the inspection of one that was not. */
const toItem = (item: StoredBulkItem | string): BulkExportItem =>
  typeof item === 'string' ? { inspection_id: item, ...UNSTARTED } : item;

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
  return present(BulkExport, toSummary(stored, url), {
    items: (await readItems(caller, id)).map(toItem),
  });
};
