import type { Caller } from '../../base/caller.ts';
import type { Activity, NewComment } from '../../schemas/corrective-action.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { queryRows, withoutKeys } from '../table/rows.ts';
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
export const listActivity = async (
  caller: Caller,
  id: string,
  query: ListQuery,
): Promise<Listing<Activity>> => {
  const name = `ACTIVITY ${id}`;
  const after = readCursor(caller, name, query);
  await expectAction(caller, id);
  const entries = queryRows(caller, {
    ...keys.parts(caller, 'ACTION', id, 'ACTIVITY'),
    after,
    updatedSince: query.updated_since,
  });
  return listing(
    caller,
    name,
    query,
    entries,
    ({ sk }) => sk,
    (row): Activity => {
      const { updated_at: _, ...entry } = withoutKeys(row);
      return entry;
    },
  );
};
