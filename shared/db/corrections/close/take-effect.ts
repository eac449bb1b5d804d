import type { Caller } from '../../../base/caller.ts';
import { markSignatures } from '../../../domain/inspections/corrections.ts';
import type { Correction } from '../../../schemas/inspections/correction.ts';
import { toInspection } from '../../inspection-core/inspection-record.ts';
import { assessAnswers } from '../../inspections/steps/assess-answers.ts';
import { keys } from '../../table/keys.ts';
import { emit } from '../../table/outbox/outbox.ts';
import { queryRows } from '../../table/rows.ts';
import { closedNow, completeStep } from '../steps.ts';
import { settleFindings } from './settle-findings.ts';

/** The next number among the corrections of an inspection that are in force. One call. */
const nextNumber = async (caller: Caller, inspectionId: string): Promise<number> => {
  const inForce = await Array.fromAsync(
    queryRows(caller, {
      ...keys.parts(caller, 'INSPECTION', inspectionId, 'CORRECTION'),
      where: { status: ['closed'] },
    }),
  );
  return inForce.length + 1;
};

/**
 * The changes of a correction take effect: findings agree with the answers again, the score is computed again, and the
 * signatures say that they were given before it. The step has begun; when it is interrupted, calling this again
 * completes it.
 * @throws ApiError 404; 409 when the step was not begun, or has been completed
 */
export const takeEffect = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  step: 'close' | 'approve',
): Promise<Correction> => {
  await settleFindings(caller, inspectionId, id, step);
  return completeStep(caller, inspectionId, id, step, async ({ inspection }, work) => {
    const { score } = await assessAnswers(work, inspection);
    const number = await nextNumber(work, inspectionId);
    const { signatures, correction_revisions } = inspection;
    return {
      correction: { number, ...(step === 'close' && closedNow(work)) },
      inspection: {
        score,
        signatures: correction_revisions > 0 ? markSignatures(signatures, number) : signatures,
      },
      event: (after) =>
        emit(work, 'inspection.corrected', { ...toInspection(after, work.now), correction_id: id }),
    };
  });
};
