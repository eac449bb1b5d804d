import type { Caller } from '../../base/caller.ts';
import { Activity, type NewComment } from '../../schemas/corrective-action.ts';
import { listHistory } from '../table/history.ts';
import { keys } from '../table/keys.ts';
import type { Listing, ListQuery } from '../table/listing.ts';
import { editAction } from './edit.ts';
import { expectAction } from './lists.ts';

/** @throws ApiError 404; 409 for another version, or an archived inspection */
export const comment = (
  caller: Caller,
  id: string,
  { note }: NewComment,
  expectedVersion?: number,
): Promise<Activity> =>
  editAction(caller, id, expectedVersion, {
    also: [],
    decide: (current) => ({
      next: current,
      activities: [{ kind: 'commented', note }],
      reply: ({ entries }) => entries[0]!,
    }),
  });

/** The action's history, oldest first. @throws ApiError 404 */
export const listActivity = (caller: Caller, id: string, query: ListQuery): Promise<Listing<Activity>> =>
  listHistory(caller, Activity, `ACTIVITY ${id}`, keys.parts(caller, 'ACTION', id, 'ACTIVITY'), query, () =>
    expectAction(caller, id),
  );
