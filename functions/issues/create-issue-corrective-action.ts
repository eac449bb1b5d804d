import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as issues from '../../shared/issues/follow-up.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';
import { NewIssueAction } from '../../shared/schemas/issues/issue.ts';

export const operation = defineOperation({
  id: 'createIssueCorrectiveAction',
  method: 'POST',
  path: '/issues/{issue_id}/corrective-actions',
  summary: 'Create a corrective action for an issue',
  description:
    'The action belongs to a finding of the inspection that the issue is linked to. The issue gets a finding of its own with its first action, unless the request names another one. Refused with `409` when the issue has no inspection, when the inspection is archived, when it is completed and would need a new finding, or when the finding is resolved.',
  access: 'write',
  params: z.strictObject({ issue_id: Uuid }),
  body: NewIssueAction,
  guarded: true,
  success: 201,
  location: '/corrective-actions/{ca_id}',
  response: CorrectiveAction,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  issues.createCorrectiveAction(caller, params.issue_id, body, expectedVersion),
);
