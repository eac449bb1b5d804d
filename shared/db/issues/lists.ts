import type { Caller } from '../../base/caller.ts';
import { fold } from '../../base/fold.ts';
import type { Issue, IssueQuery } from '../../schemas/issues/issue.ts';
import { countFilters, mergedIds, rowsOfIds } from '../table/candidates.ts';
import { keys } from '../table/keys.ts';
import { type Listing, listing, readCursor } from '../table/listing.ts';
import { queryRows, withoutKeys } from '../table/rows.ts';
import { findReserved } from '../table/unique.ts';
import { EXTERNAL_REF, issueRecords, toIssue } from './record.ts';

const KIND = 'ISSUE';

/** @throws ApiError 404 */
export const get = async (caller: Caller, id: string): Promise<Issue> =>
  toIssue(withoutKeys(await issueRecords.get(caller, id)));

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

/** The id of the issue with an external_ref, if there is one. */
const idByExternalRef = async function* (caller: Caller, externalRef: string): AsyncGenerator<string> {
  const id = await findReserved(caller, EXTERNAL_REF, externalRef);
  if (id !== undefined) yield id;
};

/** The ids of overdue issues, newest first. Their rows are in the order of due times, so all ids are read. */
const overdueIds = async function* (caller: Caller, now: string): AsyncGenerator<string> {
  const due = await Array.fromAsync(
    queryRows(caller, { partition: keys.allIssuesDue(caller), upTo: now }),
    ({ issue_id }) => issue_id,
  );
  yield* due.toSorted().toReversed();
};

/**
 * Ids that include all issues of a filtered list, newest first, from the most selective list or index for the filters;
 * undefined when the whole list has to be read.
 * @param pageSize the number of ids that are enough, when no other filter applies
 */
const candidateIds = (
  caller: Caller,
  filters: IssueQuery,
  now: string,
  after: string | undefined,
  pageSize: number | undefined,
): AsyncGenerator<string> | undefined => {
  const idsOf = async function* (
    partition: string,
    index?: 'by_status' | 'by_client' | 'by_location' | 'by_family',
  ) {
    const rows = queryRows(caller, { partition, index, after, newestFirst: true, pageSize });
    for await (const { sk } of rows) yield sk;
  };
  const { external_ref, assignee_id, location_id, client_account_id, category_id, status } = filters;
  if (external_ref) return idByExternalRef(caller, external_ref);
  if (filters.overdue) return overdueIds(caller, now);
  if (assignee_id) return idsOf(keys.issueAssignments(caller, assignee_id));
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
  const pageSize = filters.limit === undefined ? undefined : filters.limit + 1;
  const filterCount = countFilters(filters);
  const ids = candidateIds(caller, filters, now, after, filterCount === 1 ? pageSize : undefined);
  const rows = ids
    ? rowsOfIds(caller, KIND, ids, pageSize)
    : queryRows(caller, {
        partition: keys.all(caller, KIND),
        after,
        newestFirst: true,
        pageSize: filterCount === 0 ? pageSize : undefined,
      });
  for await (const row of rows) {
    const issue = toIssue(withoutKeys(row), now);
    if ((after === undefined || row.id < after) && isWanted(issue)) yield issue;
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
