import type { Caller } from '../../../base/caller.ts';
import type { Correction } from '../../../schemas/inspections/correction.ts';
import * as findings from '../../findings/findings.ts';
import { originals } from '../originals.ts';
import { beginStep, closedNow, completeStep } from '../steps.ts';
import { restoreAnswers } from './restore-answers.ts';
import { restoreSetup } from './restore-setup.ts';

/**
 * Takes back all that a correction has changed: each answer and each field of the setup is again what it was before,
 * without what was deleted since, and findings that it has added are deleted. Each of these changes is a revision. The
 * step has begun; when it is interrupted, calling this again completes it.
 * @throws ApiError 404; 409 when the step was not begun, or has been completed
 */
export const takeBack = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  step: 'reject' | 'discard',
): Promise<Correction> => {
  await restoreAnswers(caller, inspectionId, id);
  const { findingIds } = await originals(caller, inspectionId, id);
  for (const findingId of findingIds) await findings.takeBack(caller, inspectionId, id, findingId);
  await restoreSetup(caller, inspectionId, id);
  return completeStep(caller, inspectionId, id, step, async (_, work) => ({
    correction: step === 'discard' ? closedNow(work) : {},
  }));
};

/**
 * Discards a correction that is open or awaits approval: what it has changed is taken back. From the first transaction
 * on the correction accepts no changes; when discarding is interrupted, calling it again completes it.
 * @param expectedVersion the inspection's
 * @throws ApiError 404; 409 for another version, a correction that has ended, or one that is ending in another way
 */
export const discard = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  expectedVersion?: number,
): Promise<Correction> => {
  await beginStep(caller, inspectionId, id, 'discard', expectedVersion);
  return takeBack(caller, inspectionId, id, 'discard');
};
