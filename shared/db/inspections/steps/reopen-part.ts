import type { Caller } from '../../../base/caller.ts';
import * as errors from '../../../base/errors.ts';
import { reopenParts } from '../../../domain/inspections/workflow.ts';
import { inspectionRecords } from '../../inspection-core/inspection-record.ts';
import { expectVersion } from '../../table/collection.ts';
import { editAndReply } from '../edit.ts';

/**
 * Opens the caller's submitted part again. This and the submission of the last part conflict on the inspection's row,
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
