import type { Caller } from '../../base/caller.ts';
import type { IssueActivity } from '../../schemas/issues/issue.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, type ListQuery, readCursor } from '../table/listing.ts';
import { queryRows, withoutKeys } from '../table/rows.ts';
import { editIssue } from './edit.ts';
import { issueRecords } from './record.ts';

/** @throws ApiError 404; 409 for another version */
export const comment = (
  caller: Caller,
  id: string,
  note: string,
  expectedVersion?: number,
): Promise<IssueActivity> =>
  editIssue(caller, id, expectedVersion, {
    also: [],
    decide: (current) => ({
      next: current,
      activities: [{ kind: 'commented', note }],
      reply: ({ entries }) => entries[0]!,
    }),
  });

/** The issue's history, oldest first. @throws ApiError 404 */
export const listActivity = async (
  caller: Caller,
  id: string,
  query: ListQuery,
): Promise<Listing<IssueActivity>> => {
  const name = `ISSUE_ACTIVITY ${id}`;
  const after = readCursor(caller, name, query);
  await issueRecords.get(caller, id);
  const entries = queryRows(caller, {
    ...keys.parts(caller, 'ISSUE', id, 'ISSUE_ACTIVITY'),
    after,
    updatedSince: query.updated_since,
  });
  return listing(
    caller,
    name,
    query,
    entries,
    ({ sk }) => sk,
    (row): IssueActivity => {
      const { updated_at: _, ...entry } = withoutKeys(row);
      return entry;
    },
  );
};
