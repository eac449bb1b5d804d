import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import type { CorrectiveAction, NewCorrectiveAction } from '../../schemas/corrective-action.ts';
import { actionOpening, NOUN as FINDING } from '../findings/record.ts';
import { newAction, nextActionNumber, toAction } from '../inspection-core/corrective-action-record.ts';
import { addToCounters, expectUnarchived, isUnarchived, readPart } from '../inspection-core/parts.ts';
import { notify } from '../notifications/notify.ts';
import { change } from '../table/change.ts';
import { expectVersion } from '../table/collection.ts';
import { assigneeKey, checkAssignee } from './assignee.ts';

/**
 * @param expectedVersion the finding's
 * @throws ApiError 404; 400 for an assignee who is no active member; 409 for another version, a resolved finding, an
 *   archived inspection or an external_ref that is in use
 */
export const create = async (
  caller: Caller,
  findingId: string,
  request: NewCorrectiveAction,
  expectedVersion?: number,
): Promise<CorrectiveAction> => {
  const { assignee_id } = request;
  let number: number | undefined;
  return change(caller, async () => {
    const {
      part: finding,
      inspection,
      others: [assignee],
    } = await readPart(caller, 'FINDING', findingId, assigneeKey(caller, assignee_id));
    if (assignee_id) checkAssignee(assignee);
    expectVersion(FINDING, finding, expectedVersion);
    expectUnarchived(inspection);
    if (finding.status === 'resolved') throw errors.findingResolved();
    number ??= await nextActionNumber(caller);
    const { inspection_id } = finding;
    const { action, writes } = newAction(caller, number, inspection, {
      ...request,
      finding_id: findingId,
      inspection_id,
    });
    return {
      writes: [
        ...writes,
        ...notify(caller, 'actionChanged', { inspection, action, before: undefined }),
        actionOpening(caller, action, 1, expectedVersion),
        addToCounters(
          caller,
          inspection_id,
          { findings_revision: 1, parts_revision: 1, open_corrective_actions_count: 1 },
          isUnarchived,
        ),
      ],
      reply: toAction(action, inspection),
    };
  });
};
