import * as templates from '../../shared/db/templates/templates.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { NewTemplate, Template } from '../../shared/schemas/templates/template.ts';

export const operation = defineOperation({
  id: 'createTemplate',
  method: 'POST',
  path: '/templates',
  summary: 'Create a draft with a content of its own',
  description: 'A family has one draft at most: `409` while there is one.',
  access: 'write',
  body: NewTemplate,
  success: 201,
  response: Template,
  errors: [409],
  grants: ['table:GetItem', 'table:PutItem'],
  calls: 3,
});

export const handler = createHandler(operation, ({ body, caller }) => templates.create(caller, body));
