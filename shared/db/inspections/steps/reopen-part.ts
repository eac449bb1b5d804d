import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { reopenParts } from '../../../domain/inspections/workflow.ts';
import { editAndReply } from '../edit.ts';

/**
 * Opens the caller's submitted part again. This and the submission of the last part conflict on the inspection's row,
 * so that a completed inspection never has an open part.
 * @throws ApiError 404; 409 unless the inspection is in progress and the part is submitted
 */
export const reopenPart = (caller: Caller, id: string): Promise<null> =>
  editAndReply(
    caller,
    id,
    ({ status, participants }) => {
      if (status !== 'in_progress') throw errors.inspectionStatus(status, 'not in_progress');
      const own = participants.find(({ user_id }) => user_id === caller.user_id);
      if (own?.status !== 'submitted') throw errors.partNotSubmitted(status, own?.status);
      const at = new Date().toISOString();
      return {
        fields: { participants: reopenParts(participants, at, (participant) => participant === own) },
      };
    },
    () => null,
  );
