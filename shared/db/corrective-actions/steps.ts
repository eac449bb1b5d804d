import { type Caller, isKey } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { needsSecondPerson } from '../../domain/corrective-actions.ts';
import type { CorrectiveAction, Verification } from '../../schemas/corrective-action.ts';
import { actionOpening } from '../findings/record.ts';
import { keys } from '../table/keys.ts';
import { editAction, replyWithAction, takeStep } from './edit.ts';

/**
 * Accepts or declines a completed action.
 * @throws ApiError 404; 403 for the person who completed it, when a second person has to verify; 409 for another
 *   version, an archived inspection, or an action that is not pending verification
 */
export const verify = (
  caller: Caller,
  id: string,
  { accepted, note }: Verification,
  expectedVersion?: number,
): Promise<CorrectiveAction> =>
  editAction(caller, id, expectedVersion, {
    also: [keys.organization(caller)],
    decide: (current, [organization]) => {
      const step = takeStep(caller, accepted ? 'accept' : 'decline', current, note);
      const { four_eyes_verification } = organization!;
      const isOwn = current.completed_by === caller.user_id;
      if (accepted && isOwn && needsSecondPerson(four_eyes_verification, !isKey(caller))) {
        throw errors.secondPersonRequired();
      }
      return { ...step, reply: replyWithAction };
    },
  });

/**
 * @throws ApiError 404; 409 for another version, a resolved finding, an archived inspection, or while it is open
 *   or in progress
 */
export const reopen = (caller: Caller, id: string, reason: string, expectedVersion?: number): Promise<null> =>
  editAction(caller, id, expectedVersion, {
    also: [],
    decide: (current) => ({
      ...takeStep(caller, 'reopen', current, reason),
      writes: [actionOpening(caller, current, 0)],
      reply: () => null,
    }),
  });
