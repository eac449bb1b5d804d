import type { Caller } from '../../base/caller.ts';
import * as errors from '../../base/errors.ts';
import { isIssueOpen } from '../../domain/issues/workflow.ts';
import type { Inspection } from '../../schemas/inspections/inspection.ts';
import type { Issue, NewIssueInspection } from '../../schemas/issues/issue.ts';
import { toInspection } from '../inspection-core/inspection-record.ts';
import { NO_LINKS } from '../inspection-core/issue-record.ts';
import { inspectionFrom } from '../inspections/create.ts';
import { editIssue } from './edit.ts';

/** Where the inspection takes place: as the request says, else where the issue is. */
const placeOf = (
  { client_account_id, location_id }: NewIssueInspection,
  issue: Pick<Issue, 'client_account_id' | 'location_id'>,
) => ({
  location_id: location_id === undefined ? issue.location_id : location_id,
  // Another location may be another client’s.
  client_account_id:
    client_account_id === undefined
      ? location_id === undefined
        ? issue.client_account_id
        : null
      : client_account_id,
});

/**
 * Starts an inspection from an issue, which is linked to it from now on.
 * @throws ApiError 404; 409 for another version, or an issue that is resolved, closed, rejected or a duplicate; else as
 *   the creation of an inspection
 */
export const startInspection = (
  caller: Caller,
  id: string,
  request: NewIssueInspection,
  expectedVersion?: number,
): Promise<Inspection> =>
  editIssue(caller, id, expectedVersion, {
    also: [],
    decide: async (current, work, _, confirm) => {
      const { inspection, writes } = await inspectionFrom(
        work,
        { ...request, ...placeOf(request, current) },
        async () => {
          confirm();
          if (!isIssueOpen(current.status)) {
            throw errors.issueStatus(current.status, 'An inspection can be started only from an open one');
          }
          return { source: 'issue', issue_id: id };
        },
      );
      return {
        next: { ...current, linked: { ...NO_LINKS, inspection_id: inspection.id } },
        activities: [{ kind: 'inspection_started', inspection_id: inspection.id, to: inspection.status }],
        writes,
        reply: () => toInspection(inspection, work.now),
      };
    },
  });
