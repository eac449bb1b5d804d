import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { ReportLayout } from '../../../schemas/templates/report-layout.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../../table/listing.ts';
import { getRows, queryRows } from '../../table/rows.ts';
import { familyRecords } from '../families/record.ts';
import { NOUN, toLayout } from './record.ts';

/** In creation order. @throws ApiError 404 for the family */
export const list = async (
  caller: Caller,
  familyId: string,
  query: ListQuery,
): Promise<Listing<ReportLayout>> => {
  const filters = { ...query, family_id: familyId };
  const after = readCursor(caller, NOUN, filters);
  const family = await familyRecords.get(caller, familyId);
  const rows = queryRows(caller, {
    ...keys.parts(caller, 'FAMILY', familyId, 'LAYOUT'),
    after,
    updatedSince: query.updated_since,
  });
  return listing(
    caller,
    NOUN,
    filters,
    rows,
    ({ sk }) => sk,
    (row) => toLayout(row, family),
  );
};

/** @throws ApiError 404 */
export const get = async (caller: Caller, familyId: string, id: string): Promise<ReportLayout> => {
  const [family, layout] = await getRows(caller, [
    familyRecords.key(caller, familyId),
    keys.layout(caller, familyId, id),
  ]);
  if (!family) throw errors.notFound(familyRecords.noun);
  if (!layout) throw errors.notFound(NOUN);
  return toLayout(layout, family);
};
