import type { Caller } from '../../base/caller.ts';
import { IssueActivity } from '../../schemas/issues/issue.ts';
import { issueRecords } from '../inspection-core/issue-record.ts';
import { keys } from '../table/keys.ts';
import { listHistory, type Listing, type ListQuery } from '../table/listing.ts';
import { editIssue } from './edit.ts';

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
export const listActivity = (caller: Caller, id: string, query: ListQuery): Promise<Listing<IssueActivity>> =>
  listHistory(
    caller,
    IssueActivity,
    `ISSUE_ACTIVITY ${id}`,
    keys.parts(caller, 'ISSUE', id, 'ISSUE_ACTIVITY'),
    query,
    () => issueRecords.get(caller, id),
  );
