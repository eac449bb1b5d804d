import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as issues from '../../shared/issues/issues.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewComment } from '../../shared/schemas/corrective-action.ts';
import { IssueActivity } from '../../shared/schemas/issues/issue.ts';

export const operation = defineOperation({
  id: 'commentOnIssue',
  method: 'POST',
  path: '/issues/{issue_id}/comments',
  summary: 'Comment on an issue',
  description: 'Returns the new entry of its activity.',
  access: 'write',
  params: z.strictObject({ issue_id: Uuid }),
  body: NewComment,
  guarded: true,
  success: 201,
  response: IssueActivity,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  issues.comment(caller, params.issue_id, body.note, expectedVersion),
);
