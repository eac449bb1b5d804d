import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { Correction } from '../../schemas/inspections/correction.ts';
import { present } from '../../schemas/projection.ts';
import { inspectionRecords } from '../inspection-core/inspection-record.ts';
import type { StoredCorrection, StoredInspection } from '../table/entities.ts';
import { type Key, keys } from '../table/keys.ts';
import { getRows, withoutKeys } from '../table/rows.ts';

const NOUN = 'correction';

export const correctionKey = (
  caller: Caller,
  { inspection_id, id }: Pick<Correction, 'inspection_id' | 'id'>,
): Key<StoredCorrection> => keys.correction(caller, inspection_id, id);

/** What a correction has until it is in force, or is decided about. */
const UNDECIDED = {
  number: null,
  decision: null,
  decided_by: null,
  decided_via_key_id: null,
  decided_at: null,
  comment: null,
} as const;

/** A correction as clients see it. The changes of the active one are counted on the inspection. */
export const toCorrection = (
  stored: StoredCorrection,
  { active_correction_id, correction_revisions }: StoredInspection,
): Correction =>
  present(
    Correction,
    { ...UNDECIDED, ...stored },
    { revisions_count: stored.id === active_correction_id ? correction_revisions : stored.revisions_count },
  );

/** A correction with its inspection. One call. @throws ApiError 404 */
export const readCorrection = async (
  caller: Caller,
  inspectionId: string,
  id: string,
): Promise<{ inspection: StoredInspection; correction: StoredCorrection }> => {
  const [inspection, correction] = await getRows(caller, [
    inspectionRecords.key(caller, inspectionId),
    keys.correction(caller, inspectionId, id),
  ]);
  if (!inspection) throw errors.notFound(inspectionRecords.noun);
  if (!correction) throw errors.notFound(NOUN);
  return { inspection: withoutKeys(inspection), correction: withoutKeys(correction) };
};
