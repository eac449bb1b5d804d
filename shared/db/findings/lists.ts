import type { Caller } from '../../base/caller.ts';
import type { Finding, FindingQuery } from '../../schemas/finding.ts';
import { inspectionRecords, readChild } from '../inspection-core/inspection-record.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { queryRows } from '../table/rows.ts';
import { toFinding } from './record.ts';

const KIND = 'FINDING';

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Finding> =>
  toFinding((await readChild(caller, KIND, id)).child);

/** The findings of one inspection, in creation order. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: FindingQuery,
): Promise<Listing<Finding>> => {
  const name = `${KIND} ${inspectionId}`;
  const after = readCursor(caller, name, query);
  await inspectionRecords.get(caller, inspectionId);
  const { status, severity, origin } = query;
  const found = queryRows(caller, {
    ...keys.parts(caller, 'INSPECTION', inspectionId, KIND),
    after,
    updatedSince: query.updated_since,
    where: { status: status && [status], severity, origin: origin && [origin] },
  });
  return listing(caller, name, query, found, (row) => row.sk, toFinding);
};
