import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as categories from '../../shared/issues/categories.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { IssueCategory, IssueCategoryChanges } from '../../shared/schemas/issues/category.ts';

export const operation = defineOperation({
  id: 'updateIssueCategory',
  method: 'PATCH',
  path: '/issue-categories/{category_id}',
  summary: 'Update an issue category',
  description: `${PATCH_DESCRIPTION} Existing issues keep their answers and the questions that were asked.`,
  access: 'write',
  params: z.strictObject({ category_id: Uuid }),
  body: IssueCategoryChanges,
  success: 200,
  response: IssueCategory,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  categories.update(caller, params.category_id, body, expectedVersion),
);
