import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as issues from '../../shared/issues/issues.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Issue } from '../../shared/schemas/issues/issue.ts';

export const operation = defineOperation({
  id: 'getIssue',
  method: 'GET',
  path: '/issues/{issue_id}',
  summary: 'Get an issue',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ issue_id: Uuid }),
  success: 200,
  response: Issue,
});

export const handler = createHandler(operation, ({ params, caller }) => issues.get(caller, params.issue_id));
