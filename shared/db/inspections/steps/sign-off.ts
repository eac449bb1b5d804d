import { type Caller, isKey } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { fold } from '../../../base/text.ts';
import { submitPart } from '../../../domain/inspections/workflow.ts';
import type { Advance, Signature } from '../../../schemas/inspections/inspection.ts';
import type { Work } from '../../table/change.ts';
import type { StoredInspection } from '../../table/entities.ts';
import type { Edit } from '../edit.ts';
import { takeStep } from './step.ts';

type SignOff = NonNullable<Advance['sign_off']>;

/** A name as it is compared: without regard to case and to how many spaces stand in it. */
const comparedName = (name: string): string => fold(name).replaceAll(/\s+/g, ' ').trim();

/**
 * The signature that the person who signs has given or refused before. Somebody who takes part, or has signed in, signs
 * for themselves. A key that takes no part submits the signatures of others, whom only their names tell apart.
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

/** Adds an answer to the question for a signature. The last required one is the step. */
const answerEdit = (
  work: Work,
  current: StoredInspection,
  step: 'sign_off' | 'decline',
  answer: Pick<Signature, 'signed_name' | 'contact' | 'declined' | 'reason'>,
): Edit => {
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
export const signatureEdit = (
  work: Work,
  current: StoredInspection,
  { signed_name, contact }: SignOff,
): Edit => answerEdit(work, current, 'sign_off', { signed_name, contact, declined: false, reason: '' });

/**
 * Puts on record that somebody refuses to sign, and why. It counts as their answer, so that nobody can hold up an
 * inspection by refusing: whoever may submit a signature may submit this.
 * @param signOff who refuses; the caller when left out
 * @throws ApiError 409 for a person who has signed or refused already, or when no signature is awaited
 */
export const refusalEdit = (
  work: Work,
  current: StoredInspection,
  reason: string,
  { signed_name, contact }: SignOff = { signed_name: work.name, contact: null },
): Edit => answerEdit(work, current, 'decline', { signed_name, contact, declined: true, reason });
