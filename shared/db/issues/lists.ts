import type { Caller } from '../../base/caller.ts';
import { fold } from '../../base/text.ts';
import type { Issue, IssueQuery } from '../../schemas/issues/issue.ts';
import { EXTERNAL_REF, issueRecords, toIssue } from '../inspection-core/issue-record.ts';
import { candidateRows, idByExternalRef, type IdsOf, mergedIds, newestIds } from '../table/candidates.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { queryRows } from '../table/rows.ts';

const KIND = 'ISSUE';

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Issue> =>
  toIssue(await issueRecords.get(caller, id), new Date().toISOString());

/** Whether an issue passes all given filters. */
const filterOf = (filters: IssueQuery): ((issue: Issue) => boolean) => {
  const { category_id, assignee_id, location_id, client_account_id, source, external_ref, overdue } = filters;
  const equalities = Object.entries({
    category_id,
    assignee_id,
    location_id,
    client_account_id,
    source,
    external_ref,
    is_overdue: overdue,
  }).filter(([, wanted]) => wanted !== undefined);
  const statuses = filters.status && new Set(filters.status);
  const priorities = filters.priority && new Set(filters.priority);
  const text = filters.q && fold(filters.q);
  return (issue) =>
    equalities.every(([field, wanted]) => issue[field as keyof Issue] === wanted) &&
    (!statuses || statuses.has(issue.status)) &&
    (!priorities || priorities.has(issue.priority)) &&
    (!filters.updated_since || issue.updated_at >= filters.updated_since) &&
    (!text ||
      String(issue.number) === text ||
      fold(issue.title).includes(text) ||
      fold(issue.description).includes(text));
};

/** Ids that include all issues of a filtered list, from the most selective list or index for the filters. */
const candidatesOf =
  (caller: Caller, filters: IssueQuery, now: string) =>
  (idsOf: IdsOf): AsyncGenerator<string> | undefined => {
    const { external_ref, assignee_id, location_id, client_account_id, category_id, status } = filters;
    if (external_ref) return idByExternalRef(caller, EXTERNAL_REF, external_ref);
    if (filters.overdue) {
      const due = queryRows(caller, { partition: keys.issueDue.partition(caller), upTo: now });
      return newestIds(due, ({ issue_id }) => issue_id);
    }
    if (assignee_id) return idsOf(keys.issueAssignment.partition(caller, assignee_id));
    if (location_id) return idsOf(keys.issuesWith(caller, 'LOCATION', location_id), 'by_location');
    if (client_account_id) return idsOf(keys.issuesWith(caller, 'CLIENT', client_account_id), 'by_client');
    if (category_id) return idsOf(keys.issuesWith(caller, 'CATEGORY', category_id), 'by_family');
    if (!status) return undefined;
    return mergedIds(
      [...new Set(status)].map((each) => idsOf(keys.issuesWith(caller, 'STATUS', each), 'by_status')),
    );
  };

/** Issues that pass the filters, newest first. */
const findIssues = async function* (
  caller: Caller,
  filters: IssueQuery,
  after: string | undefined,
): AsyncGenerator<Issue> {
  const now = new Date().toISOString();
  const isWanted = filterOf(filters);
  const rows = candidateRows(caller, KIND, filters, after, candidatesOf(caller, filters, now));
  for await (const row of rows) {
    const issue = toIssue(row, now);
    if (isWanted(issue)) yield issue;
  }
};

/** Newest first. @throws ApiError 422 for a cursor of another list */
export const list = async (caller: Caller, query: IssueQuery): Promise<Listing<Issue>> =>
  listing(
    caller,
    KIND,
    query,
    findIssues(caller, query, readCursor(caller, KIND, query)),
    ({ id }) => id,
    (issue) => issue,
  );
