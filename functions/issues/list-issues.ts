import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as issues from '../../shared/issues/issues.ts';
import { Issue, issueQuery } from '../../shared/schemas/issues/issue.ts';

export const operation = defineOperation({
  id: 'listIssues',
  method: 'GET',
  path: '/issues',
  summary: 'List issues',
  description:
    'Newest first. With `q`, and without filters by assignee, location, `within`, region, asset, tag, metadata, `is_overdue` or `external_ref`, in the order of the word that was found. An issue is listed when it matches all filters. With a filter by `status`, `category_id`, `client_account_id`, `location_id`, `within` or `region_id`, the list can be a moment behind: an issue that has just changed to the value may be missing, but one that has another value is never listed. Without these filters, the list always includes the latest changes.',
  access: 'read',
  people: ['admin'],
  query: issueQuery,
  success: 200,
  response: z.array(Issue),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => issues.list(caller, query));
