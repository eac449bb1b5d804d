import { type Caller, isPerson } from '../base/caller.ts';
import { assignedParticipant, unsubmitted } from '../domain/inspections/workflow.ts';
import type { InspectionBlocker, InspectionBlockers } from '../schemas/inspections/blocker.ts';
import type { Participant } from '../schemas/inspections/inspection.ts';
import type { StoredInspection } from '../table/entities/inspections.ts';
import { isForTaking } from './rows/acting.ts';
import { inspectionRecords } from './rows/inspection-records.ts';
import { assessAnswers, type Scored } from './scores.ts';

/** The participants, with the inspector who takes an inspection that is for taking. */
export const joined = (caller: Caller, current: StoredInspection): Participant[] =>
  isPerson(caller) && caller.role === 'inspector' && isForTaking(current)
    ? [assignedParticipant(caller.user_id, caller.name)]
    : current.participants;

/** What a caller would submit, and what keeps them from it. */
interface Submission {
  participants: Participant[];
  /** The caller's part, while it is open. */
  own: Participant | undefined;
  blockers: InspectionBlocker[];
  /** Absent while other parts stay open, so that the part alone would be submitted. */
  scored?: Scored;
}

/** Looks at what a caller would submit: their part while others are open, else the whole inspection. */
export const assessSubmission = async (caller: Caller, current: StoredInspection): Promise<Submission> => {
  const participants = joined(caller, current);
  const open = unsubmitted(participants);
  const own = open.find(({ user_id }) => user_id === caller.user_id);
  const others = open.filter((participant) => participant !== own);
  if (own && others.length > 0) {
    const { section_ids } = own;
    // A part without sections needs no answers. All answers are checked when the last part is submitted.
    const { blockers } =
      section_ids.length > 0 ? await assessAnswers(caller, current, section_ids) : { blockers: [] };
    return { participants, own, blockers };
  }
  const parts = others.map(({ name }): InspectionBlocker => ({
    code: 'part_not_submitted',
    section_id: null,
    field_id: null,
    path: '',
    message: `${name}: part not submitted`,
  }));
  const { blockers, scored } = await assessAnswers(caller, current);
  return { participants, own, blockers: [...parts, ...blockers], scored };
};

const blockersNow = async (caller: Caller, inspection: StoredInspection): Promise<InspectionBlocker[]> => {
  if (inspection.status === 'in_progress') return (await assessSubmission(caller, inspection)).blockers;
  return inspection.correction_stage === 'open' ? (await assessAnswers(caller, inspection)).blockers : [];
};

/** What keeps an inspection from its next step, or its correction from being closed. @throws ApiError 404 */
export const listBlockers = async (caller: Caller, id: string): Promise<InspectionBlockers> => {
  const inspection = await inspectionRecords.get(caller, id);
  const blockers = await blockersNow(caller, inspection);
  return { inspection_id: inspection.id, status: inspection.status, blockers };
};
