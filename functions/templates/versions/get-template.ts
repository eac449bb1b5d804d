import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { Template } from '../../../shared/schemas/templates/template.ts';
import * as templates from '../../../shared/templates/versions.ts';

export const operation = defineOperation({
  id: 'getTemplate',
  method: 'GET',
  path: '/templates/{template_id}',
  summary: 'Get a template version',
  description:
    'A version with its content. Refused with `409` when the content is larger than 6 MB and the client does not accept gzip.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ template_id: Uuid }),
  success: 200,
  response: Template,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, caller }) =>
  templates.getWithChanges(caller, params.template_id),
);
