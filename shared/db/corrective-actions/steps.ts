import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import type { CorrectiveAction, Verification } from '../../schemas/corrective-action.ts';
import { actionOpening } from '../findings/record.ts';
import { readFindingOf, resolutionWrites } from '../findings/resolve.ts';
import { keys } from '../table/keys.ts';
import { editAction, isSecondPersonNeeded, replyWithAction, takeStep } from './edit.ts';

/**
 * Accepts or declines a completed action.
 * @throws ApiError 404; 403 for the person who completed it, when a second person has to verify; 409 for another
 *   version, an archived inspection, an action that is not pending verification, or a finding that is to be resolved
 *   while others of its actions are unfinished
 */
export const verify = (
  caller: Caller,
  id: string,
  { accepted, note, resolve_finding }: Verification,
  expectedVersion?: number,
): Promise<CorrectiveAction> =>
  editAction(caller, id, expectedVersion, {
    also: [keys.organization(caller)],
    decide: async (current, work, [organization]) => {
      const step = takeStep(work, accepted ? 'accept' : 'decline', current, note);
      const isOwn = current.completed_by === work.user_id;
      if (accepted && isOwn && isSecondPersonNeeded(work, organization)) throw errors.secondPersonRequired();
      if (!resolve_finding) return { ...step, reply: replyWithAction };
      const { finding, unfinished } = await readFindingOf(work, current);
      if (unfinished > 0) throw errors.correctiveActionsUnfinished(unfinished);
      return { ...step, writes: resolutionWrites(work, finding), reply: replyWithAction };
    },
  });

/**
 * @throws ApiError 404; 409 for another version, a resolved finding, an archived inspection, or while it is open
 *   or in progress
 */
export const reopen = (caller: Caller, id: string, reason: string, expectedVersion?: number): Promise<null> =>
  editAction(caller, id, expectedVersion, {
    also: [],
    decide: (current, work) => ({
      ...takeStep(work, 'reopen', current, reason),
      writes: [actionOpening(work, current, 0)],
      reply: () => null,
    }),
  });
