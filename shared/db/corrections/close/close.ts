import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import type { Correction } from '../../../schemas/inspections/correction.ts';
import { inspectionRecords } from '../../inspection-core/inspection-record.ts';
import { assessAnswers } from '../../inspections/steps/assess-answers.ts';
import { beginStep, closedNow, completeStep, type Corrected } from '../steps.ts';
import { takeEffect } from './take-effect.ts';

/** @throws ApiError 409 naming what is missing */
const expectWhole = async (caller: Caller, { inspection }: Corrected): Promise<void> => {
  const { blockers } = await assessAnswers(caller, inspection);
  if (blockers.length > 0) throw errors.inspectionBlocked(inspection.status, blockers);
};

/**
 * Closes a correction: it takes effect, or awaits approval where the inspection asks for that. Where it takes effect,
 * it accepts no changes from the first transaction on; when closing is interrupted, calling it again completes it.
 * @param expectedVersion the inspection's
 * @throws ApiError 404; 409 for another version, a correction that is not open, or with what is missing
 */
export const close = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  expectedVersion?: number,
): Promise<Correction> => {
  const { correction_mode } = await inspectionRecords.get(caller, inspectionId);
  if (correction_mode === 'reapprove') {
    return completeStep(
      caller,
      inspectionId,
      id,
      'close',
      async (corrected, work) => {
        await expectWhole(work, corrected);
        return { correction: closedNow(work) };
      },
      expectedVersion,
    );
  }
  await beginStep(caller, inspectionId, id, 'close', expectedVersion, async (corrected) => {
    await expectWhole(caller, corrected);
    return {};
  });
  return takeEffect(caller, inspectionId, id, 'close');
};
