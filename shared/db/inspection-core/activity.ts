import { v7 as uuidv7 } from 'uuid';
import { type Caller, isKey, viaKey } from '../../base/caller.ts';
import type { NewInspectionActivity } from '../../domain/inspections/activity.ts';
import { keys } from '../table/keys.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

/** Adds entries to an inspection's history, in the transaction of the change that they describe. */
export const activityWrites = (
  caller: Caller,
  inspectionId: string,
  entries: readonly NewInspectionActivity[],
): Write[] =>
  entries.map((entry) => {
    const id = uuidv7();
    const at = new Date().toISOString();
    return write.create({
      ...keys.inspectionActivity(caller, inspectionId, id),
      from: null,
      to: null,
      user_ids: [],
      correction_id: null,
      report_id: null,
      document_ids: [],
      comment: '',
      ...entry,
      id,
      actor_id: caller.user_id || null,
      key_id: isKey(caller) ? caller.key_id : null,
      ...viaKey(caller),
      at,
      updated_at: at,
    });
  });
