import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as categories from '../../shared/issues/categories.ts';
import { IssueCategory, NewIssueCategory } from '../../shared/schemas/issues/category.ts';

export const operation = defineOperation({
  id: 'createIssueCategory',
  method: 'POST',
  path: '/issue-categories',
  summary: 'Create an issue category',
  description:
    'Questions have some of the field types of templates, and their answers are checked by the same rules. Refused with `409` when another category has the name.',
  access: 'write',
  body: NewIssueCategory,
  success: 201,
  location: '/issue-categories/{category_id}',
  response: IssueCategory,
});

export const handler = createHandler(operation, ({ body, caller }) => categories.create(caller, body));
