import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { merge } from '../../base/fields.ts';
import { contactOf, isActionOpen, stepToStatus } from '../../domain/corrective-actions.ts';
import type { CorrectiveAction, CorrectiveActionChanges } from '../../schemas/corrective-action.ts';
import { readFindingOf, resolutionWrites } from '../findings/resolve.ts';
import { editActivities, type NewActivity } from '../inspection-core/corrective-action-record.ts';
import type { Work } from '../table/change.ts';
import type { StoredAction } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import type { Write } from '../table/writes.ts';
import { assigneeKey, checkAssignee } from './assignee.ts';
import {
  completedOnSite,
  editAction,
  expectOpen,
  isSecondPersonNeeded,
  replyWithAction,
  takeStep,
} from './edit.ts';

/** An action that was carried out on the spot, and the resolution of its finding if it was the last one. Two calls. */
const finishOnSite = async (
  work: Work,
  action: StoredAction,
  isSecondNeeded: boolean,
): Promise<{ next: StoredAction; activity: NewActivity; writes: Write[] }> => {
  const next = completedOnSite(work, action, isSecondNeeded);
  const { finding, unfinished } = await readFindingOf(work, action);
  const isClosed = !isActionOpen(next.status);
  return {
    next,
    activity: {
      kind: isClosed ? 'verified' : 'status_changed',
      from: action.status,
      to: next.status,
      note: next.completion_note,
    },
    writes: isClosed && unfinished === 0 ? resolutionWrites(work, finding) : [],
  };
};

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
    decide: async (current, work, [, organization]) => {
      const merged = merge(current, fields);
      const edited = { ...merged, contact: contactOf(merged.contact) };
      const edits = editActivities(current, edited);
      if (completed_on_site) {
        const isSecondNeeded = isSecondPersonNeeded(work, organization);
        const { activity, ...done } = await finishOnSite(work, edited, isSecondNeeded);
        return { ...done, activities: [...edits, activity], reply: replyWithAction };
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
      const { next, activities } = takeStep(work, step, edited, note);
      return { next, activities: [...edits, ...activities], reply: replyWithAction };
    },
  });
