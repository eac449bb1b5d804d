import * as errors from '../../../base/errors.ts';
import { submitPart, unsubmitted } from '../../../domain/inspections/workflow.ts';
import type { Participant } from '../../../schemas/inspections/inspection.ts';
import type { Work } from '../../table/change.ts';
import type { StoredInspection } from '../../table/entities.ts';
import type { Edit } from '../edit.ts';
import { assessAnswers } from './assess-answers.ts';
import { takeStep } from './step.ts';

/** Submits the caller's part while other parts are open. @throws ApiError 409 naming what is missing in its sections */
const submitOwnPart = async (
  work: Work,
  { section_ids }: Participant,
  current: StoredInspection,
): Promise<Edit> => {
  // A part without sections is submitted whatever the answers are: the last part is checked against all of them.
  const withAnswers = section_ids.length > 0;
  const { blockers } = withAnswers ? await assessAnswers(work, current, section_ids) : { blockers: [] };
  if (blockers.length > 0) throw errors.inspectionBlocked(current.status, blockers);
  const participants = submitPart(current.participants, work.user_id, work.now);
  return { fields: { participants }, withAnswers };
};

/**
 * Submits the caller's part, and the whole inspection together with its last part.
 * @throws ApiError 409 naming what is missing
 */
export const submitEdit = async (work: Work, current: StoredInspection): Promise<Edit> => {
  const { status } = current;
  const open = unsubmitted(current.participants);
  const own = open.find(({ user_id }) => user_id === work.user_id);
  const others = open.filter((participant) => participant !== own);
  if (own && others.length > 0) return submitOwnPart(work, own, current);
  const unsubmittedParts = others.map(({ name }) => `${name}: part not submitted`);
  const { blockers, score } = await assessAnswers(work, current);
  if (unsubmittedParts.length + blockers.length > 0) {
    throw errors.inspectionBlocked(status, [...unsubmittedParts, ...blockers]);
  }
  const participants = own ? submitPart(current.participants, work.user_id, work.now) : current.participants;
  return { ...takeStep(work, 'submit', current, { participants, score }), withAnswers: true };
};
