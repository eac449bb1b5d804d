import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { correctionActivityOf } from '../../domain/inspections/activity.ts';
import {
  correctionStatusAfter,
  type CorrectionStep,
  isCorrectionStepAllowed,
  stageAfter,
  stageInWords,
  stageOf,
} from '../../domain/inspections/corrections.ts';
import { notify } from '../../notices/notify.ts';
import { Correction } from '../../schemas/inspections/correction.ts';
import { present } from '../../schemas/projection.ts';
import { change, changePart, type Work } from '../../table/change.ts';
import { expectVersion, nextVersion } from '../../table/collection.ts';
import type { StoredCorrection, StoredInspection } from '../../table/entities/inspections.ts';
import { type Key, keys } from '../../table/keys.ts';
import { getRows, withoutKeys } from '../../table/rows.ts';
import * as write from '../../table/writes.ts';
import type { Write } from '../../table/writes.ts';
import { standInsOf } from '../approvers.ts';
import { expectPart } from '../rows/acting.ts';
import {
  activityWrites,
  inspectionChange,
  inspectionEvent,
  inspectionRecords,
} from '../rows/inspection-records.ts';

const NOUN = 'correction';

export const correctionKey = (
  caller: Caller,
  { inspection_id, id }: Pick<Correction, 'inspection_id' | 'id'>,
): Key<StoredCorrection> => keys.correction(caller, inspection_id, id);

/** The initial values of fields about the decision and the number in force. */
export const UNDECIDED = {
  number: null,
  decision: null,
  decided_by: null,
  decided_via_key_id: null,
  decided_at: null,
  comment: null,
} as const;

/** A correction as clients see it. The changes of the active one are counted on the inspection. */
export const toCorrection = (
  stored: StoredCorrection,
  { active_correction_id, correction_revisions }: StoredInspection,
): Correction =>
  present(Correction, stored, {
    revisions_count: stored.id === active_correction_id ? correction_revisions : stored.revisions_count,
  });

/** A correction with its inspection. One call. @throws ApiError 404 */
export const readCorrection = async (
  caller: Caller,
  inspectionId: string,
  id: string,
): Promise<{ inspection: StoredInspection; correction: StoredCorrection }> => {
  const [inspection, correction] = await getRows(caller, [
    inspectionRecords.key(caller, inspectionId),
    keys.correction(caller, inspectionId, id),
  ]);
  if (!inspection) throw errors.notFound(inspectionRecords.noun);
  if (!correction) throw errors.notFound(NOUN);
  return { inspection: withoutKeys(inspection), correction: withoutKeys(correction) };
};

/*
 * The steps of a correction. The rules are in `domain/inspections/corrections.ts`.
 *
 *           close, with the correction_mode `reapprove`
 *   open ------------------------------------------------> pending_approval
 *    | | ^                                                   |   |   |   |
 *    | | +------------------ request_changes ----------------+   |   |   |
 *    | |                                                         |   |   |
 *    | +---- close ----> closed <----------- approve ------------+   |   |
 *    |                 rejected <----------- reject -----------------+   |
 *    +--- discard --> discarded <----------- discard --------------------+
 *
 * A step that leads to `closed`, `rejected` or `discarded` takes several transactions. The first one sets the stage
 * `closing`, `approving`, `rejecting` or `discarding`. In this stage the correction accepts no changes and no other step,
 * and the same request continues after an interruption. The last transaction ends the correction.
 */

const DECISIONS: ReadonlySet<CorrectionStep> = new Set(['approve', 'request_changes', 'reject']);

/** A correction with its inspection, as they were read. */
export interface Corrected {
  inspection: StoredInspection;
  correction: StoredCorrection;
}

/** @throws ApiError 409 for a correction that has ended, or that is in another stage than the step needs */
export const expectStep = (step: CorrectionStep, { inspection, correction }: Corrected): void => {
  const { active_correction_id, correction_stage: stage } = inspection;
  const refusal = DECISIONS.has(step) ? errors.correctionNotPending : errors.correctionNotOpen;
  if (correction.id !== active_correction_id || stage === null) throw refusal(correction.status);
  if (!isCorrectionStepAllowed(step, stage)) throw refusal(stageInWords(stage));
};

/** The changed fields of a correction and its inspection. */
interface ChangedFields {
  correction: Partial<StoredCorrection>;
  inspection: Partial<StoredInspection>;
}

/** The event of a change, from the changed inspection. */
type EventOf = (inspection: StoredInspection) => Write;

/** A change of a correction and its inspection: their rows and the notices. The event is not included. */
const bothWrites = async (
  work: Work,
  step: CorrectionStep,
  { inspection, correction }: Corrected,
  changed: ChangedFields,
): Promise<Corrected & { writes: Write[] }> => {
  const after = nextVersion(work, inspection, changed.inspection);
  const next = { ...correction, ...changed.correction, updated_at: after.updated_at };
  const isAwaited = next.status === 'pending_approval' && correction.status !== next.status;
  const stand_ins = isAwaited ? await standInsOf(work, after) : [];
  const facts = { inspection: after, correction: next, before: correction, stand_ins };
  return {
    inspection: after,
    correction: next,
    writes: [
      ...inspectionChange(work, inspection, after, {
        withAnswers: true,
        isWork: step === 'close',
        isApproval: step === 'approve',
      }),
      write.put({ ...correctionKey(work, next), ...next }),
      ...activityWrites(work, inspection.id, correctionActivityOf(correction, next)),
      ...notify(work, 'correctionChanged', facts),
    ],
  };
};

/**
 * Begins a step that takes several transactions. From then on the correction accepts no changes, so all transactions of
 * the step see the same answers, and the same request continues after an interruption.
 * @param expectedVersion the inspection's, as the client knows it
 * @param decide checks the inspection further, and returns the fields of the correction that change at the beginning
 * @throws ApiError 404; 409 for another version, and as `expectStep`; what `decide` throws
 */
export const beginStep = (
  caller: Caller,
  inspectionId: string,
  id: string,
  step: CorrectionStep,
  expectedVersion: number | undefined,
  decide: (corrected: Corrected, work: Work) => Promise<Partial<StoredCorrection>> = async () => ({}),
): Promise<void> =>
  changePart(caller, async (work) => {
    const read = await readCorrection(work, inspectionId, id);
    expectPart(work, read.inspection);
    expectVersion(inspectionRecords.noun, read.inspection, expectedVersion);
    expectStep(step, read);
    const correction = await decide(read, work);
    const stage = stageOf(step)!;
    if (read.inspection.correction_stage === stage) return { writes: [], reply: undefined };
    const changed = { correction, inspection: { correction_stage: stage } };
    const { writes } = await bothWrites(work, step, read, changed);
    return { writes, reply: undefined };
  });

/**
 * Completes a step, in one transaction. Of several requests one completes it.
 * @param decide returns the changed fields, further writes, and the event; `inspection.updated` when left out
 * @param expectedVersion the inspection's, for a step that was not begun before
 * @throws ApiError 404; 409 for another version, and as `expectStep`; what `decide` throws
 */
export const completeStep = (
  caller: Caller,
  inspectionId: string,
  id: string,
  step: CorrectionStep,
  decide: (
    corrected: Corrected,
    work: Work,
  ) => Promise<Partial<ChangedFields> & { event?: EventOf; writes?: Write[] }>,
  expectedVersion?: number,
): Promise<Correction> =>
  change(caller, async (work) => {
    const read = await readCorrection(work, inspectionId, id);
    expectVersion(inspectionRecords.noun, read.inspection, expectedVersion);
    expectStep(step, read);
    const { event, writes: also = [], ...changed } = await decide(read, work);
    const { correction_mode, correction_revisions } = read.inspection;
    const stage = stageAfter(step, correction_mode);
    const { inspection, correction, writes } = await bothWrites(work, step, read, {
      correction: {
        status: correctionStatusAfter(step, correction_mode),
        ...(stage === null && { revisions_count: correction_revisions }),
        ...changed.correction,
      },
      inspection: {
        correction_stage: stage,
        ...(stage === null && { active_correction_id: null, correction_revisions: 0 }),
        ...changed.inspection,
      },
    });
    return {
      writes: [...writes, ...also, event ? event(inspection) : inspectionEvent(work, inspection)],
      reply: toCorrection(correction, inspection),
    };
  });

/** Who closes or discards a correction, and when. */
export const closedNow = (work: Work): Pick<StoredCorrection, 'closed_by' | 'closed_at'> => ({
  closed_by: work.user_id,
  closed_at: work.now,
});
