import type { Caller } from '../../base/caller.ts';
import { InspectionActivity, type InspectionActivityQuery } from '../../schemas/inspections/activity.ts';
import { inspectionRecords } from '../inspection-core/inspection-record.ts';
import { listHistory } from '../table/history.ts';
import { keys } from '../table/keys.ts';
import type { Listing } from '../table/listing.ts';

/** The inspection's history, oldest first. @throws ApiError 404 */
export const listActivity = (
  caller: Caller,
  id: string,
  query: InspectionActivityQuery,
): Promise<Listing<InspectionActivity>> => {
  const { correction_id } = query;
  return listHistory(
    caller,
    InspectionActivity,
    `INSPECTION_ACTIVITY ${id}`,
    {
      ...keys.parts(caller, 'INSPECTION', id, 'INSPECTION_ACTIVITY'),
      where: { correction_id: correction_id === undefined ? undefined : [correction_id] },
    },
    query,
    () => inspectionRecords.get(caller, id),
  );
};
