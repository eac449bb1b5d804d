import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { Inspection } from '../../../schemas/inspections/inspection.ts';
import { inspectionRecords } from '../../inspection-core/inspection-record.ts';
import { expectVersion } from '../../table/collection.ts';
import { editInspection } from '../edit.ts';
import { takeStep } from './step.ts';

/** @throws ApiError 404; 409 when it is archived or being corrected */
export const archive = (caller: Caller, id: string, expectedVersion?: number): Promise<Inspection> =>
  editInspection(caller, id, (current, work) => {
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    if (current.active_correction_id) throw errors.beingCorrected(current.status);
    return takeStep(work, 'archive', current);
  });

/** Restores the status that it was archived from. @throws ApiError 404; 409 unless it is archived */
export const restore = (caller: Caller, id: string, expectedVersion?: number): Promise<Inspection> =>
  editInspection(caller, id, (current, work) => {
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    // A rejected inspection waits for a decision again.
    const isUndone = current.approval_outcome === 'rejected';
    return takeStep(work, 'restore', current, isUndone ? { approval_outcome: null } : {});
  });
