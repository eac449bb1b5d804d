import { type Caller, isPerson } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { acceptsAnswers } from '../../domain/inspections/workflow.ts';
import type { StoredInspection } from '../../table/entities/inspections.ts';

/** What decides who works on an inspection. */
type Worked = Pick<StoredInspection, 'created_by' | 'participants' | 'self_assign'>;

/** Whether nobody has a part in an inspection, and its family lets inspectors take such inspections themselves. */
export const isForTaking = ({ participants, self_assign }: Worked): boolean =>
  self_assign && participants.length === 0;

/**
 * An inspector works on an inspection as a participant or as its creator, and on one that is for taking. Admins and
 * approvers may without a part, and so may a key that acts for itself.
 * @throws ApiError 403 for any other inspector
 */
export const expectPart = (caller: Caller, inspection: Worked): void => {
  if (!isPerson(caller) || caller.role !== 'inspector') return;
  const { created_by, participants } = inspection;
  const isOwn =
    created_by === caller.user_id || participants.some(({ user_id }) => user_id === caller.user_id);
  if (!isOwn && !isForTaking(inspection)) throw errors.noPartInInspection();
};

/** @throws ApiError 403 as `expectPart`; 409 for an inspection whose answers cannot change */
export const expectAnswerable = (
  caller: Caller,
  inspection: Worked & Pick<StoredInspection, 'status' | 'correction_stage'>,
): void => {
  expectPart(caller, inspection);
  if (!acceptsAnswers(inspection)) throw errors.inspectionLocked(inspection.status);
};
