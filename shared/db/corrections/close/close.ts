import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { resetApproval } from '../../../domain/inspections/workflow.ts';
import type { Correction } from '../../../schemas/inspections/correction.ts';
import { transition, inspectionEvent } from '../../inspection-core/record.ts';
import { notices } from '../../inspections/notices.ts';
import { assessAnswers } from '../../inspections/steps/assess-answers.ts';
import { takeStep } from '../../inspections/steps/step.ts';
import { change } from '../../table/change.ts';
import { nextVersion } from '../../table/collection.ts';
import { emit } from '../../table/outbox/outbox.ts';
import { beginEnd, ended, expectOpenTo } from '../ending.ts';
import { readCorrection } from '../record.ts';
import { settleFindings } from './settle-findings.ts';

/** The last step: the correction is closed, and the inspection has its new score and status. */
const finish = (caller: Caller, inspectionId: string, id: string): Promise<Correction> =>
  change(caller, async () => {
    const { inspection: current, correction } = await readCorrection(caller, inspectionId, id);
    expectOpenTo('closing', correction, current);
    const { score } = await assessAnswers(caller, current);
    const { next, write, fields } = ended(caller, correction, current, 'closed');
    const edit =
      current.correction_mode === 'reapprove'
        ? takeStep('reapprove', current, {
            ...fields,
            score,
            ...resetApproval(current.participants, new Date().toISOString()),
          })
        : { fields: { ...fields, score } };
    const after = nextVersion(current, edit.fields);
    return {
      writes: [
        ...transition(caller, current, after, { withAnswers: true }),
        write,
        ...(edit.event ? [inspectionEvent(caller, after, edit.event)] : []),
        ...(await notices(caller, current, after)),
        emit(caller, 'inspection.corrected', { inspection_id: inspectionId, correction_id: id }),
      ],
      reply: next,
    };
  });

/**
 * Closes a correction: findings agree with the answers again, the score is computed again, and the inspection is
 * approved again where its template asks for that. From the first step on the correction accepts no changes; when
 * closing is interrupted, calling it again completes it.
 * @param expectedVersion the inspection's
 * @throws ApiError 404; 409 for another version, a correction that is not open, or with what is missing
 */
export const close = async (
  caller: Caller,
  inspectionId: string,
  id: string,
  expectedVersion?: number,
): Promise<Correction> => {
  await beginEnd(caller, inspectionId, id, 'closing', expectedVersion, async (inspection) => {
    const { blockers } = await assessAnswers(caller, inspection);
    if (blockers.length > 0) throw errors.inspectionBlocked(inspection.status, blockers);
  });
  await settleFindings(caller, inspectionId, id);
  return finish(caller, inspectionId, id);
};
