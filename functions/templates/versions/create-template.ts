import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { NewTemplate, Template } from '../../../shared/schemas/templates/template.ts';
import * as templates from '../../../shared/templates/versions.ts';

export const operation = defineOperation({
  id: 'createTemplate',
  method: 'POST',
  path: '/templates',
  summary: 'Create a draft with new content',
  description: 'Refused with `409` when the family already has a draft; it can have only one.',
  access: 'write',
  body: NewTemplate,
  success: 201,
  location: '/templates/{template_id}',
  response: Template,
  heavy: true,
});

export const handler = createHandler(operation, ({ body, caller }) => templates.create(caller, body));
