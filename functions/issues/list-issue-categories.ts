import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as categories from '../../shared/issues/categories.ts';
import { IssueCategory, issueCategoryQuery } from '../../shared/schemas/issues/category.ts';

export const operation = defineOperation({
  id: 'listIssueCategories',
  method: 'GET',
  path: '/issue-categories',
  summary: 'List issue categories',
  access: 'read',
  people: ['admin'],
  query: issueCategoryQuery,
  success: 200,
  response: z.array(IssueCategory),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => categories.list(caller, query));
