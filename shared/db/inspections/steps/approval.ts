import { type Caller, isKey, isPerson } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { approversOf, hasPart, reopenParts, submitPart } from '../../../domain/inspections/workflow.ts';
import { expectRole } from '../../../domain/members.ts';
import type { Advance } from '../../../schemas/inspections/inspection.ts';
import type { Work } from '../../table/change.ts';
import type { StoredInspection } from '../../table/entities.ts';
import type { Edit } from '../edit.ts';
import { takeStep } from './step.ts';

/**
 * Checks that the caller may decide on an inspection, or on a correction of it. Where a key acts for a person, it is the
 * person who decides: `allow_api` is about keys that decide for themselves.
 * @throws ApiError 403 for a key when keys may not decide, for a person whose role does not approve or whom the family
 *   does not name, and for an approval by someone who had a part
 */
export const expectDecider = (
  caller: Caller,
  inspection: Pick<StoredInspection, 'approval' | 'approver_id' | 'participants'>,
  decision: NonNullable<Advance['decision']>,
): void => {
  const { approval, participants } = inspection;
  if (isKey(caller) && !approval.allow_api) throw errors.decisionByKey();
  expectRole(caller, 'approve');
  const isNamed = approval.approver_ids.length === 0 || approversOf(inspection).includes(caller.user_id);
  if (isPerson(caller) && !isNamed) throw errors.notAnApprover();
  const isOwn = participants.some(
    (participant) => participant.user_id === caller.user_id && hasPart(participant),
  );
  if (isOwn && decision === 'approve') throw errors.ownWork();
};

/**
 * Approves or rejects a submitted inspection.
 * @throws ApiError 403 for a key when keys may not decide, and for the approval of one's own work; 409 when no approval
 *   is awaited
 */
export const decisionEdit = (work: Work, current: StoredInspection, decision: 'approve' | 'reject'): Edit => {
  const participants = submitPart(current.participants, work.user_id, work.now);
  const edit = takeStep(work, decision, current, { participants });
  expectDecider(work, current, decision);
  return edit;
};

/** Whether somebody is asked for a signature now. That is all it takes to ask for changes instead. */
const isAwaitedSignatory = (caller: Caller, { status, participants }: StoredInspection): boolean =>
  status === 'pending_sign_off' &&
  participants.some(({ role, user_id }) => role === 'signatory' && user_id === caller.user_id);

/**
 * Sends a submitted inspection back: its parts are open again, and signatures that were given are dropped, because they
 * were given for answers that will change. Its history keeps them.
 * @throws ApiError 403 for a key when keys may not decide, unless it is asked for its signature; 409 when neither an
 *   approval nor a signature is awaited
 */
export const returnEdit = (work: Work, current: StoredInspection): Edit => {
  const participants = reopenParts(current.participants, work.now);
  // The changed answers are scored when they are submitted again.
  const edit = takeStep(work, 'request_changes', current, { participants, score: null, signatures: [] });
  if (!isAwaitedSignatory(work, current)) expectDecider(work, current, 'request_changes');
  return edit;
};
