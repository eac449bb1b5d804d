import { type Caller, isKey, isPerson } from '../base/caller.ts';
import * as errors from '../base/errors.ts';
import { fold } from '../base/text.ts';
import { expectOtherSide, isSignedIn } from '../domain/four-eyes.ts';
import {
  approversOf,
  awaitedIn,
  hasPart,
  isRunning,
  reopenParts,
  requestedStep,
  startPart,
  submitPart,
} from '../domain/inspections/workflow.ts';
import { expectRole } from '../domain/members.ts';
import type { Advance, Inspection, Signature } from '../schemas/inspections/inspection.ts';
import type { Work } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import { enqueue } from '../table/outbox/outbox.ts';
import { settlingTask } from './answers/settle-hidden.ts';
import { hasNoApprover } from './approvers.ts';
import { assessSubmission, joined } from './blockers.ts';
import { type Cause, type Codes, certificateWrites } from './certificates/issue.ts';
import { editAndReply, editInspection, type InspectionEdit, takeStep } from './edit.ts';
import { resolveFindings } from './resolve-findings.ts';
import { expectPart } from './rows/acting.ts';
import { assetInService, inspectionRecords } from './rows/inspection-records.ts';
import { namesNow } from './rows/names-then.ts';

/*
 * The steps of an inspection. The rules are in `domain/inspections/workflow.ts`.
 *
 *   scheduled
 *       | start
 *       v                    request_changes
 *   in_progress <-----------------+-----------------------+
 *       |                         |                       |
 *       +-- submit --> pending_approval -- approve --> pending_sign_off -- sign_off, decline --> completed
 *                                 |
 *                                 +-- reject --> archived
 *
 * A step skips the statuses that the inspection does not require: `submit` may lead to `pending_sign_off` or `completed`,
 * and `approve` to `completed`. Every status can be archived, and `restore` leads back to the status before. The parts
 * of participants open and close within `in_progress`; the last submitted part submits the inspection.
 */

/** Starts a scheduled inspection and the caller's own part. @throws ApiError 409 unless it is scheduled */
const startEdit = (work: Work, current: StoredInspection): InspectionEdit => {
  expectPart(work, current);
  return takeStep(work, 'start', current, { participants: startPart(joined(work, current), work.user_id) });
};

/** @throws ApiError 404; 409 unless it is scheduled */
export const start = (caller: Caller, id: string, expectedVersion?: number): Promise<Inspection> =>
  editInspection(caller, id, (current, work) => {
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    return startEdit(work, current);
  });

/**
 * Submits the caller's part, and the whole inspection together with its last part.
 * @throws ApiError 409 naming what is missing
 */
const submitEdit = async (work: Work, current: StoredInspection): Promise<InspectionEdit> => {
  expectPart(work, current);
  const { participants: joining, own, blockers, scored } = await assessSubmission(work, current);
  const missing = blockers.map(({ message }) => message);
  if (missing.length > 0) throw errors.inspectionBlocked(current.status, missing);
  const participants = own ? submitPart(joining, work.user_id, work.now) : joining;
  if (!scored) return { fields: { participants }, withAnswers: own!.section_ids.length > 0, isWork: true };
  return {
    ...takeStep(work, 'submit', current, { participants, ...scored }),
    withAnswers: true,
    isWork: true,
  };
};

/**
 * Checks that the caller may decide on an inspection, or on a correction of it. When a key acts for a person, the
 * person decides: `allow_api` is only about keys that decide for themselves. An admin decides where nobody who is named
 * can, so that nothing waits for people who have left.
 * @throws ApiError 403 for a key when keys may not decide, for a person whose role does not approve or whom the family
 *   does not name, and, where four eyes are on, for an approval by someone who had a part or has worked on it
 */
export const expectDecider = async (
  caller: Caller,
  inspection: Pick<StoredInspection, 'approval' | 'approver_id' | 'participants' | 'worked_by'>,
  decision: NonNullable<Advance['decision']>,
): Promise<void> => {
  const { approval, participants, worked_by } = inspection;
  if (approval.signed_in_only && !isSignedIn(caller)) throw errors.decisionNotSignedIn();
  if (isKey(caller) && !approval.allow_api) throw errors.decisionByKey();
  expectRole(caller, 'approve');
  const isNamed = approval.approver_ids.length === 0 || approversOf(inspection).includes(caller.user_id);
  if (isPerson(caller) && !isNamed) {
    if (caller.role !== 'admin' || !(await hasNoApprover(caller, inspection))) throw errors.notAnApprover();
  }
  if (decision !== 'approve' || !approval.four_eyes) return;
  const isOwn = participants.some(
    (participant) => participant.user_id === caller.user_id && hasPart(participant),
  );
  if (isOwn) throw errors.ownWork(inspectionRecords.noun);
  expectOtherSide(caller, worked_by, inspectionRecords.noun);
};

/**
 * Approves or rejects a submitted inspection.
 * @throws ApiError 403 for a key when keys may not decide, and for the approval of one's own work; 409 when no approval
 *   is awaited
 */
const decisionEdit = async (
  work: Work,
  current: StoredInspection,
  decision: 'approve' | 'reject',
): Promise<InspectionEdit> => {
  const participants = submitPart(current.participants, work.user_id, work.now);
  const edit = takeStep(work, decision, current, { participants });
  await expectDecider(work, current, decision);
  return { ...edit, isApproval: decision === 'approve' };
};

/** Whether the caller is asked for a signature now. Such a caller may request changes instead. */
const isAwaitedSignatory = (caller: Caller, { status, participants }: StoredInspection): boolean =>
  status === 'pending_sign_off' &&
  participants.some(({ role, user_id }) => role === 'signatory' && user_id === caller.user_id);

/**
 * Sends a submitted inspection back. Its parts are open again. Its signatures are dropped, because they were given for
 * answers that will change; the history keeps them.
 * @throws ApiError 403 for a key when keys may not decide, unless it is asked for its signature; 409 when neither an
 *   approval nor a signature is awaited
 */
const returnEdit = async (work: Work, current: StoredInspection): Promise<InspectionEdit> => {
  const participants = reopenParts(current.participants, work.now);
  // The changed answers are scored when they are submitted again.
  const edit = takeStep(work, 'request_changes', current, { participants, score: null, signatures: [] });
  if (!isAwaitedSignatory(work, current)) await expectDecider(work, current, 'request_changes');
  return edit;
};

type SignOff = NonNullable<Advance['sign_off']>;

/** A name for comparisons: case and the number of spaces do not matter. */
const comparedName = (name: string): string => fold(name).replaceAll(/\s+/g, ' ').trim();

/**
 * The signature that the signing person has given or refused before. A participant, or a person who has signed in,
 * signs for themselves. A key that takes no part submits signatures of others, who differ only by their names.
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
 * Adds a signature or a refusal. The last required one is the step. It is given after the approval and dropped when the
 * inspection is sent back, so it is not work that is approved.
 */
const answerEdit = (
  work: Work,
  current: StoredInspection,
  step: 'sign_off' | 'decline',
  answer: Pick<Signature, 'signed_name' | 'contact' | 'declined' | 'reason'>,
): InspectionEdit => {
  const signatures = [
    ...current.signatures,
    {
      user_id: work.user_id,
      acted_via_key_id: work.acted_via_key_id ?? null,
      ...answer,
      signed_at: work.now,
      before_correction: null,
    },
  ];
  const fields = { signatures, participants: submitPart(current.participants, work.user_id, work.now) };
  const lastAnswer = takeStep(work, step, current, fields);
  const earlier = earlierSignature(work, current, answer.signed_name);
  if (earlier) throw errors.alreadySigned(current.status, earlier.signed_name, earlier.declined);
  return signatures.length < current.sign_off.signatures_required ? { fields } : lastAnswer;
};

/**
 * Adds a signature. The last required one is the step.
 * @throws ApiError 409 for a person who has signed or refused already, or when no signature is awaited
 */
const signatureEdit = (
  work: Work,
  current: StoredInspection,
  { signed_name, contact }: SignOff,
): InspectionEdit =>
  answerEdit(work, current, 'sign_off', { signed_name, contact, declined: false, reason: '' });

/**
 * Records that somebody refuses to sign, and why. A refusal counts as a signature, so that nobody can hold up an
 * inspection by refusing. Everybody who may submit a signature may submit a refusal.
 * @param signOff who refuses; the caller when left out
 * @throws ApiError 409 for a person who has signed or refused already, or when no signature is awaited
 */
const refusalEdit = (
  work: Work,
  current: StoredInspection,
  reason: string,
  { signed_name, contact }: SignOff = { signed_name: work.name, contact: null },
): InspectionEdit => answerEdit(work, current, 'decline', { signed_name, contact, declined: true, reason });

/**
 * The change of the step that the request asks for, or of the next one forward.
 * @throws ApiError 403 for a step that the caller may not take; 409 for one that is not allowed, or is blocked
 */
const advanceEdit = (
  work: Work,
  current: StoredInspection,
  request: Advance,
): Promise<InspectionEdit> | InspectionEdit => {
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
 * Takes the step that the request asks for, or the next one forward. A step that completes a re-inspection also
 * resolves the earlier findings whose fields have passed. If that is interrupted, a worker completes it.
 * @throws ApiError 404; 403 for a decision that the caller may not make; 409 for a step that is not allowed, leads to
 *   another status than `to`, or is blocked by something that is missing
 */
export const advance = async (
  caller: Caller,
  id: string,
  request: Advance,
  expectedVersion?: number,
): Promise<Inspection> => {
  const codes: Codes = new Map();
  const inspection = await editInspection(caller, id, async (current, work) => {
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    const edit = await advanceEdit(work, current, request);
    const reached = edit.fields.status ?? current.status;
    if (request.to !== undefined && request.to !== reached) {
      throw errors.stepLeadsElsewhere(current.status, reached);
    }
    const fields = { ...edit.fields, comment: request.comment ?? null };
    if (reached !== 'completed') return { ...edit, fields };
    fields.names_then = await namesNow(work, { ...current, ...fields });
    const certificates = await certificateWrites(work, current, { ...current, ...fields }, codes);
    const writes = [...(edit.writes ?? []), ...certificates];
    if (!current.reinspection_of_id) return { ...edit, fields, writes };
    return {
      ...edit,
      fields: { ...fields, is_resolving: true },
      writes: [...writes, enqueue(work, 'cleanup', { reinspection_id: id }, RESOLVING_DELAY_S)],
    };
  });
  if (inspection.status === 'completed' && inspection.reinspection_of_id) await resolveFindings(caller, id);
  return inspection;
};

const ARCHIVING: Cause = { by: 'archiving', correction_id: null, reason: 'The inspection was archived.' };

/** An edit with what it means for the certificates of the inspection. */
const withCertificates = async (
  work: Work,
  current: StoredInspection,
  edit: InspectionEdit,
): Promise<InspectionEdit> => ({
  ...edit,
  writes: await certificateWrites(work, current, { ...current, ...edit.fields }, new Map(), ARCHIVING),
});

/** @throws ApiError 404; 409 when it is archived or being corrected */
export const archive = (caller: Caller, id: string, expectedVersion?: number): Promise<Inspection> =>
  editInspection(caller, id, (current, work) => {
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    expectPart(work, current);
    if (current.active_correction_id) throw errors.beingCorrected(current.status);
    return withCertificates(work, current, takeStep(work, 'archive', current));
  });

/**
 * Restores the status that it was archived from.
 * @throws ApiError 404; 409 unless it is archived, or when it would go on for an asset that is decommissioned
 */
export const restore = (caller: Caller, id: string, expectedVersion?: number): Promise<Inspection> =>
  editInspection(caller, id, async (current, work) => {
    expectVersion(inspectionRecords.noun, current, expectedVersion);
    expectPart(work, current);
    // A rejected inspection waits for a decision again.
    const isUndone = current.approval_outcome === 'rejected';
    const edit = takeStep(work, 'restore', current, isUndone ? { approval_outcome: null } : {});
    const { writes = [], ...restored } = await withCertificates(work, current, edit);
    // A completed inspection is history. One that would go on is refused, as a new one is.
    const goesOn = isRunning(restored.fields.status ?? current.status);
    const inService = current.asset_id && goesOn ? [assetInService(work, current.asset_id)] : [];
    // What a change has left to the worker was left undone while the inspection was archived.
    const isBegun = current.answered > 0 || current.findings_count > 0;
    const settling = isBegun ? [settlingTask(work, id)] : [];
    return { ...restored, writes: [...writes, ...inService, ...settling] };
  });

/**
 * Opens the caller's submitted part again. It conflicts with the submission of the last part on the inspection's row,
 * so that a completed inspection never has an open part.
 * @throws ApiError 404; 409 for another version, or unless the inspection is in progress and the part is submitted
 */
export const reopenPart = (caller: Caller, id: string, expectedVersion?: number): Promise<null> =>
  editAndReply(
    caller,
    id,
    (current, work) => {
      expectVersion(inspectionRecords.noun, current, expectedVersion);
      const { status, participants } = current;
      if (status !== 'in_progress') throw errors.inspectionStatus(status, 'not in_progress');
      const own = participants.find(({ user_id }) => user_id === work.user_id);
      if (own?.status !== 'submitted') throw errors.partNotSubmitted(status, own?.status);
      return {
        fields: { participants: reopenParts(participants, work.now, (participant) => participant === own) },
        event: 'inspection.reopened',
      };
    },
    () => null,
  );
