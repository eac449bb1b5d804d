import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as issues from '../../shared/issues/create.ts';
import { Issue, NewIssue } from '../../shared/schemas/issues/issue.ts';

export const operation = defineOperation({
  id: 'createIssue',
  method: 'POST',
  path: '/issues',
  summary: 'Report an issue',
  description:
    'The issue starts as `new`. Its category decides which questions it answers, and its priority, assignee and due time where the request leaves them out. Refused with `409` when the category is inactive. An issue at a location of a client belongs to that client; another `client_account_id` is `400`. Media are documents of the organization; the issue uses them, so they cannot be deleted.',
  access: 'write',
  body: NewIssue,
  success: 201,
  location: '/issues/{issue_id}',
  response: Issue,
});

export const handler = createHandler(operation, ({ body, caller }) => issues.create(caller, body));
