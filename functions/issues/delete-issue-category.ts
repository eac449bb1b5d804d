import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as categories from '../../shared/issues/categories.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteIssueCategory',
  method: 'DELETE',
  path: '/issue-categories/{category_id}',
  summary: 'Delete an issue category',
  description:
    'Its public links stop working at once. Refused with `409` while issues are of the category: deactivate it instead.',
  access: 'write',
  params: z.strictObject({ category_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await categories.remove(caller, params.category_id, expectedVersion);
});
