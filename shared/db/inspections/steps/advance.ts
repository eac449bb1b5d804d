import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { awaitedIn, requestedStep } from '../../../domain/inspections/workflow.ts';
import { expectRole } from '../../../domain/members.ts';
import type { Advance, Inspection } from '../../../schemas/inspections/inspection.ts';
import { inspectionRecords } from '../../inspection-core/inspection-record.ts';
import type { Work } from '../../table/change.ts';
import { expectVersion } from '../../table/collection.ts';
import type { StoredInspection } from '../../table/entities.ts';
import { enqueue } from '../../table/outbox/outbox.ts';
import { type Edit, editInspection } from '../edit.ts';
import { resolveFindings } from '../resolve-findings.ts';
import { decisionEdit, returnEdit } from './approval.ts';
import { refusalEdit, signatureEdit } from './sign-off.ts';
import { startEdit } from './start.ts';
import { submitEdit } from './submit.ts';

/**
 * The change by the step that the request asks for, or by the next one forward.
 * @throws ApiError 403 for a step that the caller may not take; 409 for one that is not allowed, or is blocked
 */
const advanceEdit = (work: Work, current: StoredInspection, request: Advance): Promise<Edit> | Edit => {
  const step = requestedStep(current.status, request);
  switch (step) {
    case 'start':
      expectRole(work, 'inspect');
      return startEdit(work, current);
    case 'submit':
      expectRole(work, 'inspect');
      return submitEdit(work, current);
    case 'sign_off':
      return signatureEdit(work, current, request.sign_off!);
    case 'decline':
      return refusalEdit(work, current, request.comment!, request.sign_off);
    case 'request_changes':
      return returnEdit(work, current);
    case 'approve':
    case 'reject':
      return decisionEdit(work, current, step);
    case undefined:
      throw errors.noStepForward(current.status, awaitedIn(current.status));
  }
};

/** When a worker looks whether the findings of a completed re-inspection were resolved, in seconds. */
const RESOLVING_DELAY_S = 120;

/**
 * Takes the step that the request asks for, or the next one forward. A step that completes a re-inspection resolves the
 * findings that have passed in it; when it is interrupted after the step, a worker does.
 * @throws ApiError 404; 403 for a decision that the caller may not make; 409 for a step that is not allowed, leads to
 *   another status than `to`, or is blocked by something that is missing
 */
export const advance = async (
  caller: Caller,
  id: string,
  request: Advance,
  expectedVersion?: number,
): Promise<Inspection> => {
  const inspection = await editInspection(caller, id, async (current, work) => {
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    const edit = await advanceEdit(work, current, request);
    const reached = edit.fields.status ?? current.status;
    if (request.to !== undefined && request.to !== reached) {
      throw errors.stepLeadsElsewhere(current.status, reached);
    }
    const fields = { ...edit.fields, comment: request.comment ?? null };
    if (reached !== 'completed' || !current.reinspection_of_id) return { ...edit, fields };
    return {
      ...edit,
      fields: { ...fields, is_resolving: true },
      writes: [...(edit.writes ?? []), enqueue(work, 'cleanup', { reinspection_id: id }, RESOLVING_DELAY_S)],
    };
  });
  if (inspection.status === 'completed' && inspection.reinspection_of_id) await resolveFindings(caller, id);
  return inspection;
};
