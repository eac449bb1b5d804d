import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import type { Correction } from '../../schemas/inspections/correction.ts';
import { inspectionRecords, transition } from '../inspection-core/record.ts';
import { changePart } from '../table/change.ts';
import { expectVersion, nextVersion } from '../table/collection.ts';
import type { StoredCorrection, StoredInspection } from '../table/entities.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';
import { correctionKey, readCorrection } from './record.ts';

/** The two ways in which a correction ends, as the inspection's `correction_stage` names them. */
type End = 'closing' | 'discarding';

const BEING = { closing: 'closed', discarding: 'discarded' } as const satisfies Record<End, string>;

/** @throws ApiError 409 for a correction that has ended, or that is ending in the other way */
export const expectOpenTo = (
  end: End,
  { status }: Correction,
  { correction_stage: stage }: StoredInspection,
): void => {
  if (status !== 'open') throw errors.correctionNotOpen(status);
  if (stage !== null && stage !== 'open' && stage !== end)
    throw errors.correctionNotOpen(`being ${BEING[stage]}`);
};

/**
 * Begins the end of a correction. From now on it accepts no changes, so the steps that follow all see the same
 * answers, and a request that follows an interruption goes on with them.
 * @param expectedVersion the inspection's, as the client knows it
 * @param check what else the inspection has to meet; it throws when it does not
 * @throws ApiError 404; 409 for another version, and as `expectOpenTo`
 */
export const beginEnd = (
  caller: Caller,
  inspectionId: string,
  id: string,
  end: End,
  expectedVersion: number | undefined,
  check: (inspection: StoredInspection) => Promise<void> = async () => {},
): Promise<void> =>
  changePart(caller, async () => {
    const { inspection, correction } = await readCorrection(caller, inspectionId, id);
    expectVersion(inspectionRecords.noun, inspection, expectedVersion);
    expectOpenTo(end, correction, inspection);
    if (inspection.correction_stage === end) return { writes: [], reply: undefined };
    await check(inspection);
    const next = nextVersion(inspection, { correction_stage: end });
    return { writes: transition(caller, inspection, next, { withAnswers: true }), reply: undefined };
  });

/** A correction once it has ended, its write, and the fields of the inspection that change with it. */
export const ended = (
  caller: Caller,
  correction: StoredCorrection,
  inspection: StoredInspection,
  status: 'closed' | 'discarded',
): { next: StoredCorrection; write: Write; fields: Partial<StoredInspection> } => {
  const now = new Date().toISOString();
  const next: StoredCorrection = {
    ...correction,
    status,
    revisions_count: inspection.correction_revisions,
    closed_by: caller.user_id,
    closed_at: now,
    updated_at: now,
  };
  return {
    next,
    write: write.put({ ...correctionKey(caller, correction), ...next }),
    fields: { active_correction_id: null, correction_stage: null, correction_revisions: 0 },
  };
};
