import { type Caller, isKey } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { needsSecondPerson } from '../../domain/corrective-actions.ts';
import { correctionStatusOf, decisionOf } from '../../domain/inspections/corrections.ts';
import {
  type Correction,
  type CorrectionDecision,
  type CorrectionQuery,
  Revision,
  type RevisionPage,
  type RevisionQuery,
} from '../../schemas/inspections/correction.ts';
import { present } from '../../schemas/projection.ts';
import { change, type Work } from '../../table/change.ts';
import { expectVersion, newResource, nextVersion } from '../../table/collection.ts';
import type { StoredCorrection } from '../../table/entities/inspections.ts';
import { keys } from '../../table/keys.ts';
import { type Listing, listRows, pageOf, readCursor } from '../../table/listing.ts';
import { getRow, queryRows, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import { expectPart } from '../rows/acting.ts';
import {
  activityWrites,
  inspectionChange,
  inspectionEvent,
  inspectionRecords,
} from '../rows/inspection-records.ts';
import { revisionOf } from '../rows/revisions.ts';
import { assessAnswers } from '../scores.ts';
import { expectDecider } from '../steps.ts';
import {
  beginStep,
  closedNow,
  completeStep,
  type Corrected,
  correctionKey,
  readCorrection,
  toCorrection,
  UNDECIDED,
} from './steps.ts';
import { takeBack } from './take-back.ts';
import { takeEffect } from './take-effect.ts';

/*
 * Corrections of completed inspections: sessions in which answers and the setup are changed. A correction ends closed,
 * after an approval if the inspection requires one, or with all its changes taken back.
 */

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
    expectPart(work, current);
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
      ...UNDECIDED,
    });
    const next = nextVersion(work, current, {
      active_correction_id: correction.id,
      correction_stage: 'open',
      correction_revisions: 0,
    });
    return {
      writes: [
        ...inspectionChange(work, current, next, { isWork: true }),
        inspectionEvent(work, next),
        write.create({ ...correctionKey(work, correction), ...correction }),
        ...activityWrites(work, inspectionId, [
          { kind: 'correction_opened', correction_id: correction.id, to: 'open', comment: reason },
        ]),
      ],
      reply: toCorrection(correction, next),
    };
  });

/** @throws ApiError 409 naming the missing answers */
const expectComplete = async (caller: Caller, { inspection }: Corrected): Promise<void> => {
  const { blockers } = await assessAnswers(caller, inspection);
  const missing = blockers.map(({ message }) => message);
  if (missing.length > 0) throw errors.inspectionBlocked(inspection.status, missing);
};

/**
 * Closes a correction: it takes effect, or awaits approval if the inspection requires one. A correction that takes
 * effect accepts no changes from the first transaction on. When closing is interrupted, calling it again completes it.
 * @param expectedVersion the inspection's
 * @throws ApiError 404; 409 for another version, a correction that is not open, or missing answers
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
        await expectComplete(work, corrected);
        return { correction: closedNow(work) };
      },
      expectedVersion,
    );
  }
  await beginStep(caller, inspectionId, id, 'close', expectedVersion, async (corrected) => {
    await expectComplete(caller, corrected);
    return {};
  });
  return takeEffect(caller, inspectionId, id, 'close');
};

/** A request to decide about a correction, with the inspection's version as the client knows it. */
interface DecisionRequest {
  inspection_id: string;
  correction_id: string;
  comment?: string | undefined;
  expectedVersion?: number | undefined;
}

/**
 * Checks that the caller may decide: those who may decide on the inspection may decide on its correction.
 * @throws ApiError 403 for a key when keys may not decide, and for the approval of one's own work
 */
const expectMayDecide = async (
  caller: Caller,
  decision: CorrectionDecision,
  { inspection, correction }: Corrected,
): Promise<void> => {
  await expectDecider(caller, inspection, decision);
  const isOwn = correction.opened_by === caller.user_id || correction.closed_by === caller.user_id;
  if (decision !== 'approve' || !isOwn) return;
  const organization = await getRow(caller, keys.organization(caller));
  if (needsSecondPerson(organization!.four_eyes_verification, !isKey(caller))) throw errors.ownCorrection();
};

/**
 * The fields of the correction that hold the decision. None for a decision that has begun and was interrupted: it keeps
 * the member who has made it, and anyone may complete it.
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
  { inspection_id, correction_id, comment, expectedVersion }: DecisionRequest,
): Promise<void> =>
  beginStep(caller, inspection_id, correction_id, decision, expectedVersion, (corrected, work) =>
    decide(work, decision, comment, corrected),
  );

/**
 * Approves a correction, which takes effect. When this is interrupted, calling it again completes it.
 * @throws ApiError 404; 403 for a decision that the caller may not make; 409 for another version, or unless the
 *   correction awaits approval
 */
export const approve = async (caller: Caller, correction: DecisionRequest): Promise<Correction> => {
  await beginDecision(caller, 'approve', correction);
  return takeEffect(caller, correction.inspection_id, correction.correction_id, 'approve');
};

/**
 * Rejects a correction: its changes are taken back. When this is interrupted, calling it again completes it.
 * @throws ApiError as `approve`
 */
export const reject = async (caller: Caller, correction: DecisionRequest): Promise<Correction> => {
  await beginDecision(caller, 'reject', correction);
  return takeBack(caller, correction.inspection_id, correction.correction_id, 'reject');
};

/** Opens a correction again for further changes. @throws ApiError as `approve` */
export const requestChanges = (
  caller: Caller,
  { inspection_id, correction_id, comment, expectedVersion }: DecisionRequest,
): Promise<Correction> =>
  completeStep(
    caller,
    inspection_id,
    correction_id,
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

/**
 * Discards a correction that is open or awaits approval: its changes are taken back. From the first transaction on the
 * correction accepts no changes. When discarding is interrupted, calling it again completes it.
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

/** The corrections of an inspection, in the order in which they were opened. @throws ApiError 404 */
export const list = async (
  caller: Caller,
  inspectionId: string,
  query: CorrectionQuery,
): Promise<Listing<Correction>> =>
  listRows(
    caller,
    `CORRECTION ${inspectionId}`,
    query,
    {
      ...keys.parts(caller, 'INSPECTION', inspectionId, 'CORRECTION'),
      where: { status: query.status },
    },
    toCorrection,
    () => inspectionRecords.get(caller, inspectionId),
  );

/** @throws ApiError 404 */
export const get = async (caller: Caller, inspectionId: string, id: string): Promise<Correction> => {
  const { inspection, correction } = await readCorrection(caller, inspectionId, id);
  return toCorrection(correction, inspection);
};

/**
 * The changes of a correction, the oldest first. A cursor names a number of the sequence, so it stays valid while
 * changes are added.
 * @throws ApiError 404; 422 for the cursor of another list
 */
export const listRevisions = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  query: RevisionQuery,
): Promise<RevisionPage> => {
  const name = `REVISION ${id}`;
  const after = readCursor(caller, name, query);
  await readCorrection(caller, inspectionId, id);
  const found = queryRows(caller, {
    ...keys.revision.range(caller, inspectionId, id),
    after,
    where: {
      answer_source: [
        'body',
        ...(query.include_start ? (['start'] as const) : []),
        ...(query.include_setup ? (['setup'] as const) : []),
      ],
    },
    pageSize: query.limit + 1,
  });
  const { page, next = null } = await pageOf(
    caller,
    name,
    query,
    found,
    ({ sk }) => sk,
    (row) => present(Revision, revisionOf(row).revision),
  );
  return { items: page, next_cursor: next };
};
