import type { Caller } from '../../../base/caller.ts';
import { startPart } from '../../../domain/inspections/workflow.ts';
import type { Inspection } from '../../../schemas/inspections/inspection.ts';
import { inspectionRecords } from '../../inspection-core/inspection-record.ts';
import type { Work } from '../../table/change.ts';
import { expectVersion } from '../../table/collection.ts';
import type { StoredInspection } from '../../table/entities.ts';
import { type Edit, editInspection } from '../edit.ts';
import { takeStep } from './step.ts';

/** Starts a scheduled inspection and the caller's own part. @throws ApiError 409 unless it is scheduled */
export const startEdit = (work: Work, current: StoredInspection): Edit =>
  takeStep(work, 'start', current, { participants: startPart(current.participants, work.user_id) });

/** @throws ApiError 404; 409 unless it is scheduled */
export const start = (caller: Caller, id: string, expectedVersion?: number): Promise<Inspection> =>
  editInspection(caller, id, (current, work) => {
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    return startEdit(work, current);
  });
