import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { correctionStatusOf } from '../../domain/inspections/corrections.ts';
import type { Correction } from '../../schemas/inspections/correction.ts';
import {
  activityWrites,
  inspectionEvent,
  inspectionRecords,
  inspectionChange,
} from '../inspection-core/inspection-record.ts';
import { change } from '../table/change.ts';
import { expectVersion, newResource, nextVersion } from '../table/collection.ts';
import { withoutKeys } from '../table/rows.ts';
import * as write from '../table/writes.ts';
import { correctionKey, toCorrection } from './record.ts';

/**
 * Opens a correction of a completed inspection.
 * @throws ApiError 404; 409 for another version, when the inspection is not completed or is being corrected, and when
 * its template does not allow corrections
 */
export const open = (
  caller: Caller,
  inspectionId: string,
  { reason }: Pick<Correction, 'reason'>,
  expectedVersion?: number,
): Promise<Correction> =>
  change(caller, async (work) => {
    const current = withoutKeys(await inspectionRecords.get(work, inspectionId));
    const { status, correction_mode, active_correction_id } = current;
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    if (status !== 'completed') throw errors.inspectionStatus(status, 'not completed');
    if (correction_mode === 'locked') throw errors.correctionsLocked(status);
    if (active_correction_id) {
      throw errors.correctionOpen(status, active_correction_id, correctionStatusOf(current.correction_stage));
    }
    const { version: _, ...correction } = newResource(work, {
      inspection_id: inspectionId,
      reason,
      status: 'open' as const,
      revisions_count: 0,
      opened_by: work.user_id,
      closed_by: null,
      closed_at: null,
    });
    const next = nextVersion(work, current, {
      active_correction_id: correction.id,
      correction_stage: 'open',
      correction_revisions: 0,
    });
    return {
      writes: [
        ...inspectionChange(work, current, next),
        inspectionEvent(work, next),
        write.create({ ...correctionKey(work, correction), ...correction }),
        ...activityWrites(work, inspectionId, [
          { kind: 'correction_opened', correction_id: correction.id, to: 'open', comment: reason },
        ]),
      ],
      reply: toCorrection(correction, next),
    };
  });
