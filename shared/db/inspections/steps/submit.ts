import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { submitPart, unsubmitted } from '../../../domain/inspections/workflow.ts';
import type { Participant } from '../../../schemas/inspections/inspection.ts';
import type { StoredInspection } from '../../table/entities.ts';
import type { Edit } from '../edit.ts';
import { assessAnswers } from './assess-answers.ts';
import { takeStep } from './step.ts';

/** Submits the caller's part while other parts are open. @throws ApiError 409 naming what is missing in its sections */
const submitOwnPart = async (
  caller: Caller,
  { section_ids }: Participant,
  current: StoredInspection,
): Promise<Edit> => {
  // A part without sections is submitted whatever the answers are: the last part is checked against all of them.
  const withAnswers = section_ids.length > 0;
  const { blockers } = withAnswers ? await assessAnswers(caller, current, section_ids) : { blockers: [] };
  if (blockers.length > 0) throw errors.inspectionBlocked(current.status, blockers);
  const at = new Date().toISOString();
  return { fields: { participants: submitPart(current.participants, caller.user_id, at) }, withAnswers };
};

/**
 * Submits the caller's part, and the whole inspection together with its last part.
 * @throws ApiError 409 naming what is missing
 */
export const submitEdit = async (caller: Caller, current: StoredInspection): Promise<Edit> => {
  const { status } = current;
  const open = unsubmitted(current.participants);
  const own = open.find(({ user_id }) => user_id === caller.user_id);
  const others = open.filter((participant) => participant !== own);
  if (own && others.length > 0) return submitOwnPart(caller, own, current);
  const unsubmittedParts = others.map(({ name }) => `${name}: part not submitted`);
  const { blockers, score } = await assessAnswers(caller, current);
  if (unsubmittedParts.length + blockers.length > 0) {
    throw errors.inspectionBlocked(status, [...unsubmittedParts, ...blockers]);
  }
  const at = new Date().toISOString();
  const participants = own ? submitPart(current.participants, caller.user_id, at) : current.participants;
  return { ...takeStep('submit', current, { participants, score }), withAnswers: true };
};
