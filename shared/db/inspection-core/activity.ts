import { v7 as uuidv7 } from 'uuid';
import { isKey, viaKey } from '../../base/caller.ts';
import type { NewInspectionActivity } from '../../domain/inspections/activity.ts';
import type { Work } from '../table/change.ts';
import { keys } from '../table/keys.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** Adds entries to an inspection's history, in the transaction of the change that they describe. */
export const activityWrites = (
  work: Work,
  inspectionId: string,
  entries: readonly NewInspectionActivity[],
): Write[] =>
  entries.map((entry) => {
    const id = uuidv7();
    return write.create({
      ...keys.inspectionActivity(work, inspectionId, id),
      from: null,
      to: null,
      user_ids: [],
      correction_id: null,
      report_id: null,
      document_ids: [],
      comment: '',
      ...entry,
      id,
      actor_id: work.user_id || null,
      key_id: isKey(work) ? work.key_id : null,
      ...viaKey(work),
      at: work.now,
      updated_at: work.now,
    });
  });
