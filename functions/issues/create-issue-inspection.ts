import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as issues from '../../shared/issues/follow-up.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Inspection } from '../../shared/schemas/inspections/inspection.ts';
import { NewIssueInspection } from '../../shared/schemas/issues/issue.ts';

export const operation = defineOperation({
  id: 'createIssueInspection',
  method: 'POST',
  path: '/issues/{issue_id}/inspections',
  summary: 'Start an inspection from an issue',
  description:
    'The inspection is scheduled like any other, with the `source` issue, and the issue is linked to it. Refused with `409` when the issue is resolved, closed, rejected or a duplicate, and when the family has no published version or is archived.',
  access: 'write',
  params: z.strictObject({ issue_id: Uuid }),
  body: NewIssueInspection,
  guarded: true,
  success: 201,
  location: '/inspections/{inspection_id}',
  response: Inspection,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  issues.startInspection(caller, params.issue_id, body, expectedVersion),
);
