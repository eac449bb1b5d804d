import type { Caller } from '../../base/caller.ts';
import { isIssueOpen, isIssueOverdue } from '../../domain/issues/workflow.ts';
import { Issue } from '../../schemas/issues/issue.ts';
import { present, type Presented } from '../../schemas/projection.ts';
import * as documents from '../documents/documents.ts';
import { issueDeadline } from '../inspection-core/deadlines.ts';
import { issueIndexKeys } from '../inspection-core/issue-links.ts';
import { collection } from '../table/collection.ts';
import type { Kind, StoredIssue } from '../table/entities.ts';
import { type Key, keys } from '../table/keys.ts';
import { moveReservation } from '../table/unique.ts';
import { use } from '../table/usage.ts';
import * as write from '../table/writes.ts';
import type { Write } from '../table/writes.ts';

const KIND = 'ISSUE';
export const EXTERNAL_REF = 'external_ref of issues';

export const issueRecords = collection(KIND, 'issue');

/**
 * An issue as it is sent to clients.
 * @param now the time that decides whether it is overdue, ISO 8601 in UTC
 */
export const toIssue = (issue: StoredIssue, now: string = new Date().toISOString()): Presented<Issue> =>
  present(Issue, issue, { is_overdue: isIssueOverdue(issue, now) });

/** Resources that count the issues that name them, and the field that does. */
const USED: readonly [Kind, 'category_id' | 'client_account_id' | 'location_id'][] = [
  ['ISSUE_CATEGORY', 'category_id'],
  ['CLIENT', 'client_account_id'],
  ['LOCATION', 'location_id'],
];

const dueKey = (caller: Caller, issue: StoredIssue | undefined): Key | undefined =>
  issue?.due_at && isIssueOpen(issue.status) ? keys.issueDue(caller, issue.due_at, issue.id) : undefined;

/** What of an issue shows documents. */
const shown = (issue: StoredIssue | undefined) => issue && [issue.answers, issue.media];

/**
 * The writes of the rows that depend on an issue: uses, the due date, the assignee's list and the reserved value. They
 * are part of the transaction that changes it, so that they always agree with it.
 */
export const dependentWrites = (
  caller: Caller,
  before: StoredIssue | undefined,
  after: StoredIssue | undefined,
): Write[] => {
  const { id } = (after ?? before)!;
  const [wasDue, isDue] = [dueKey(caller, before), dueKey(caller, after)];
  const [oldAssignee, newAssignee] = [before?.assignee_id, after?.assignee_id];
  return [
    ...(wasDue && wasDue.sk !== isDue?.sk ? [write.drop(wasDue)] : []),
    ...(isDue && wasDue?.sk !== isDue.sk
      ? [write.put({ ...isDue, ...issueDeadline(caller, before, after!) })]
      : []),
    ...(oldAssignee && oldAssignee !== newAssignee
      ? [write.drop(keys.issueAssignment(caller, oldAssignee, id))]
      : []),
    ...(newAssignee && oldAssignee !== newAssignee
      ? [write.put({ ...keys.issueAssignment(caller, newAssignee, id) })]
      : []),
    ...USED.flatMap(([kind, field]) => {
      const [used, uses] = [before?.[field], after?.[field]];
      if (used === uses) return [];
      return [
        ...(used ? [use(caller, kind, used, id, { issues: -1 }, field)] : []),
        ...(uses ? [use(caller, kind, uses, id, { issues: 1 }, field)] : []),
      ];
    }),
    ...documents.updateUses(caller, shown(before), shown(after), 'media'),
    ...moveReservation(caller, EXTERNAL_REF, before?.external_ref, after?.external_ref, id),
  ];
};

/** Creates an issue with the rows that depend on it. */
export const creation = (caller: Caller, issue: StoredIssue): Write[] => [
  write.create({ ...issue, ...issueIndexKeys(caller, issue), ...issueRecords.key(caller, issue.id) }),
  ...dependentWrites(caller, undefined, issue),
];
