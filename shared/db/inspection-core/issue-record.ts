import { isIssueOpen, isIssueOverdue } from '../../domain/issues/workflow.ts';
import { Issue } from '../../schemas/issues/issue.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import { collection } from '../table/collection.ts';
import type { StoredIssue } from '../table/entities.ts';
import { keys } from '../table/keys.ts';
import { issueDeadline, REMINDED } from './deadlines.ts';

export const EXTERNAL_REF = 'external_ref of issues';

/** Issues, and what follows from each. */
export const issueRecords = collection('ISSUE', 'issue', {
  index: (caller, { status, client_account_id, location_id, category_id }) => ({
    by_status: keys.issuesWith(caller, 'STATUS', status),
    ...(client_account_id && { by_client: keys.issuesWith(caller, 'CLIENT', client_account_id) }),
    ...(location_id && { by_location: keys.issuesWith(caller, 'LOCATION', location_id) }),
    ...(category_id && { by_family: keys.issuesWith(caller, 'CATEGORY', category_id) }),
  }),
  uses: {
    as: 'issues',
    fields: { category_id: 'ISSUE_CATEGORY', client_account_id: 'CLIENT', location_id: 'LOCATION' },
  },
  documents: { in: ({ answers, media }) => [answers, media], field: 'media' },
  unique: { [EXTERNAL_REF]: ({ external_ref }) => external_ref },
  followers: [
    {
      row: keys.issueDue,
      what: 'due issue',
      at: ({ id, status, due_at }) => (due_at && isIssueOpen(status) ? [[due_at, id]] : []),
      holds: issueDeadline,
      own: REMINDED,
    },
    {
      row: keys.issueAssignment,
      what: 'assignment of an issue',
      under: 'MEMBER',
      at: ({ id, assignee_id }) => (assignee_id ? [[assignee_id, id]] : []),
    },
  ],
});

/**
 * An issue as it is sent to clients.
 * @param now the time that decides whether it is overdue, ISO 8601 in UTC
 */
export const toIssue = (issue: StoredIssue, now: string): Presented<Issue> =>
  present(Issue, issue, { is_overdue: isIssueOverdue(issue, now) });
