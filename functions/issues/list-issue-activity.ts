import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as issues from '../../shared/issues/issues.ts';
import { listQuery, Uuid } from '../../shared/schemas/common.ts';
import { IssueActivity } from '../../shared/schemas/issues/issue.ts';

export const operation = defineOperation({
  id: 'listIssueActivity',
  method: 'GET',
  path: '/issues/{issue_id}/activity',
  summary: 'List the activity of an issue',
  description:
    'The oldest entry first. It includes what happens to inspections and corrective actions that were created from the issue.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ issue_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(IssueActivity),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  issues.listActivity(caller, params.issue_id, query),
);
