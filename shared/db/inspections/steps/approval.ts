import { type Caller, isKey, isPerson } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { fold } from '../../../base/fold.ts';
import { approversOf, hasPart, reopenParts, submitPart } from '../../../domain/inspections/workflow.ts';
import { expectRole } from '../../../domain/members.ts';
import type { Advance, Signature } from '../../../schemas/inspections/inspection.ts';
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
  expectDecider(caller, current, decision);
  return edit;
};

/** A name as it is compared: without regard to case and to how many spaces stand in it. */
const comparedName = (name: string): string => fold(name).replaceAll(/\s+/g, ' ').trim();

/**
 * The signature that is already there of the person who signs. Somebody who takes part, or has signed in, signs for
 * themselves. A key that takes no part submits the signatures of others, whom only their names tell apart.
 */
const earlierSignature = (
  caller: Caller,
  { signatures, participants }: StoredInspection,
  signedName: string,
): Signature | undefined => {
  const isSigner = !isKey(caller) || participants.some(({ user_id }) => user_id === caller.user_id);
  return signatures.find(
    ({ user_id, signed_name }) =>
      (isSigner && user_id === caller.user_id) || comparedName(signed_name) === comparedName(signedName),
  );
};

/**
 * Adds a signature. The last required one is the step.
 * @throws ApiError 409 for a person who has signed already, or when no signature is awaited
 */
export const signatureEdit = (
  caller: Caller,
  current: StoredInspection,
  { signed_name }: NonNullable<Advance['sign_off']>,
): Edit => {
  const at = new Date().toISOString();
  const signatures = [
    ...current.signatures,
    {
      user_id: caller.user_id,
      acted_via_key_id: caller.acted_via_key_id ?? null,
      signed_name,
      signed_at: at,
      before_correction: null,
    },
  ];
  const fields = { signatures, participants: submitPart(current.participants, caller.user_id, at) };
  const lastSignature = takeStep('sign_off', current, fields);
  const earlier = earlierSignature(caller, current, signed_name);
  if (earlier) throw errors.alreadySigned(current.status, earlier.signed_name);
  return signatures.length < current.sign_off.signatures_required ? { fields } : lastSignature;
};
