import { type Caller, isKey } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { needsSecondPerson } from '../../domain/corrective-actions.ts';
import { decisionOf } from '../../domain/inspections/corrections.ts';
import type { Correction, CorrectionDecision } from '../../schemas/inspections/correction.ts';
import { expectDecider } from '../inspections/steps/approval.ts';
import type { Work } from '../table/change.ts';
import type { StoredCorrection } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { getRow } from '../table/rows.ts';
import { takeEffect } from './close/take-effect.ts';
import { takeBack } from './discard/take-back.ts';
import { beginStep, completeStep, type Corrected } from './steps.ts';

/** A correction that awaits approval, and the inspection's version as the client knows it. */
interface Decided {
  inspectionId: string;
  id: string;
  comment?: string | undefined;
  expectedVersion?: number | undefined;
}

/**
 * Whoever may decide on the inspection may decide on its correction.
 * @throws ApiError 403 for a key when keys may not decide, and for the approval of one's own work
 */
const expectMayDecide = async (
  caller: Caller,
  decision: CorrectionDecision,
  { inspection, correction }: Corrected,
): Promise<void> => {
  expectDecider(caller, inspection, decision);
  const isOwn = correction.opened_by === caller.user_id || correction.closed_by === caller.user_id;
  if (decision !== 'approve' || !isOwn) return;
  const organization = await getRow(caller, keys.organization(caller));
  if (needsSecondPerson(organization!.four_eyes_verification, !isKey(caller))) throw errors.ownCorrection();
};

/**
 * The decision as the correction keeps it. One that was begun and interrupted stays with whoever has made it, so anyone
 * may complete it.
 * @throws ApiError as `expectMayDecide`
 */
const decide = async (
  work: Work,
  decision: CorrectionDecision,
  comment: string | undefined,
  corrected: Corrected,
): Promise<Partial<StoredCorrection>> => {
  if (corrected.inspection.correction_stage !== 'pending_approval') return {};
  await expectMayDecide(work, decision, corrected);
  return {
    decision: decisionOf(decision),
    decided_by: work.user_id,
    decided_via_key_id: work.acted_via_key_id ?? null,
    decided_at: work.now,
    comment: comment ?? null,
  };
};

/** Begins a decision that takes several transactions. @throws ApiError as `approve` */
const beginDecision = (
  caller: Caller,
  decision: 'approve' | 'reject',
  { inspectionId, id, comment, expectedVersion }: Decided,
): Promise<void> =>
  beginStep(caller, inspectionId, id, decision, expectedVersion, (corrected, work) =>
    decide(work, decision, comment, corrected),
  );

/**
 * Approves a correction, which takes effect. When this is interrupted, calling it again completes it.
 * @throws ApiError 404; 403 for a decision that the caller may not make; 409 for another version, or unless the
 *   correction awaits approval
 */
export const approve = async (caller: Caller, correction: Decided): Promise<Correction> => {
  await beginDecision(caller, 'approve', correction);
  return takeEffect(caller, correction.inspectionId, correction.id, 'approve');
};

/**
 * Rejects a correction: what it has changed is taken back. When this is interrupted, calling it again completes it.
 * @throws ApiError as `approve`
 */
export const reject = async (caller: Caller, correction: Decided): Promise<Correction> => {
  await beginDecision(caller, 'reject', correction);
  return takeBack(caller, correction.inspectionId, correction.id, 'reject');
};

/** Opens a correction again, so that its revisions go on. @throws ApiError as `approve` */
export const requestChanges = (
  caller: Caller,
  { inspectionId, id, comment, expectedVersion }: Decided,
): Promise<Correction> =>
  completeStep(
    caller,
    inspectionId,
    id,
    'request_changes',
    async (corrected, work) => ({
      correction: {
        ...(await decide(work, 'request_changes', comment, corrected)),
        closed_by: null,
        closed_at: null,
      },
    }),
    expectedVersion,
  );
