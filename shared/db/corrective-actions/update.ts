import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/merge.ts';
import { isActionOpen, stepToStatus } from '../../domain/corrective-actions.ts';
import type { CorrectiveAction, CorrectiveActionChanges } from '../../schemas/corrective-action.ts';
import { readFindingOf, resolutionWrites } from '../findings/resolve.ts';
import { editActivities } from '../inspection-core/corrective-action-record.ts';
import { keys } from '../table/keys.ts';
import { assigneeKey, checkAssignee } from './assignee.ts';
import {
  completedOnSite,
  editAction,
  expectOpen,
  isSecondPersonNeeded,
  replyWithAction,
  takeStep,
} from './edit.ts';

/**
 * Edits its fields, and takes the step that leads to `status`, or those of an action that was carried out on the spot.
 * @throws ApiError 404; 400 for an assignee who is no active member; 409 for another version, a step that is not
 *   allowed, missing evidence, a closed action, an archived inspection or an external_ref that is in use
 */
export const update = (
  caller: Caller,
  id: string,
  { status, completed_on_site, ...fields }: CorrectiveActionChanges,
  expectedVersion?: number,
): Promise<CorrectiveAction> =>
  editAction(caller, id, expectedVersion, {
    also: [
      assigneeKey(caller, fields.assignee_id),
      completed_on_site ? keys.organization(caller) : undefined,
    ],
    check: ([assignee], current) => {
      if (fields.assignee_id && fields.assignee_id !== current.assignee_id) checkAssignee(assignee);
    },
    decide: async (current, [, organization]) => {
      const edited = merge(current, fields);
      const edits = editActivities(current, edited);
      if (completed_on_site) {
        const next = completedOnSite(caller, edited, isSecondPersonNeeded(caller, organization));
        const isClosed = !isActionOpen(next.status);
        const { finding, unfinished } = await readFindingOf(caller, current);
        const isLast = isClosed && unfinished === 0;
        const step = { from: current.status, to: next.status, note: next.completion_note };
        return {
          next,
          activities: [...edits, { kind: isClosed ? 'verified' : 'status_changed', ...step }],
          writes: isLast ? resolutionWrites(caller, finding) : [],
          reply: replyWithAction,
        };
      }
      if (status === undefined || status === current.status) {
        if (!isDeepStrictEqual(edited, current)) expectOpen(current);
        return { next: edited, activities: edits, reply: replyWithAction };
      }
      const step = stepToStatus(status);
      if (!step) {
        throw errors.correctiveActionStatus(
          current.status,
          `${status === 'open' ? 'Reopen' : 'Verify'} it to make it ${status}`,
        );
      }
      const note = step === 'complete' ? edited.completion_note : '';
      const { next, activities } = takeStep(caller, step, edited, note);
      return { next, activities: [...edits, ...activities], reply: replyWithAction };
    },
  });
