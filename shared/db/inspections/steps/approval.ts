import { type Caller, isKey } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { fold } from '../../../base/fold.ts';
import { hasPart, reopenParts, submitPart } from '../../../domain/inspections/workflow.ts';
import type { Advance } from '../../../schemas/inspections/inspection.ts';
import type { StoredInspection } from '../../table/entities.ts';
import type { Edit } from '../edit.ts';
import { takeStep } from './step.ts';

/**
 * Decides on a submitted inspection.
 * @throws ApiError 403 for a key when keys may not decide, and for the approval of one's own work; 409 when no decision
 *   is awaited
 */
export const decisionEdit = (
  caller: Caller,
  current: StoredInspection,
  decision: NonNullable<Advance['decision']>,
): Edit => {
  const at = new Date().toISOString();
  const { participants } = current;
  const edit = takeStep(
    decision,
    current,
    // The changed answers are scored when they are submitted again.
    decision === 'request_changes'
      ? { participants: reopenParts(participants, at), score: null }
      : { participants: submitPart(participants, caller.user_id, at) },
  );
  if (isKey(caller) && !current.approval.allow_api) throw errors.decisionByKey();
  const isOwn = participants.some(
    (participant) => participant.user_id === caller.user_id && hasPart(participant),
  );
  if (isOwn && decision === 'approve') throw errors.ownWork();
  return edit;
};

/**
 * Adds a signature. The last required one is the step.
 * @throws ApiError 409 for a name that has signed already, or when no signature is awaited
 */
export const signatureEdit = (
  caller: Caller,
  current: StoredInspection,
  { signed_name }: NonNullable<Advance['sign_off']>,
): Edit => {
  const at = new Date().toISOString();
  const signatures = [...current.signatures, { user_id: caller.user_id, signed_name, signed_at: at }];
  const fields = { signatures, participants: submitPart(current.participants, caller.user_id, at) };
  const lastSignature = takeStep('sign_off', current, fields);
  const name = fold(signed_name);
  if (current.signatures.some((signature) => fold(signature.signed_name) === name)) {
    throw errors.alreadySigned(current.status, signed_name);
  }
  return signatures.length < current.sign_off.signatures_required ? { fields } : lastSignature;
};
