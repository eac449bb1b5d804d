import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as categories from '../../shared/issues/categories.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { IssueCategory } from '../../shared/schemas/issues/category.ts';

export const operation = defineOperation({
  id: 'getIssueCategory',
  method: 'GET',
  path: '/issue-categories/{category_id}',
  summary: 'Get an issue category',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ category_id: Uuid }),
  success: 200,
  response: IssueCategory,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  categories.get(caller, params.category_id),
);
