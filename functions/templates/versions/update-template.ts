import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../../shared/schemas/common.ts';
import { Template, TemplateChanges } from '../../../shared/schemas/templates/template.ts';
import * as templates from '../../../shared/templates/versions.ts';

export const operation = defineOperation({
  id: 'updateTemplate',
  method: 'PATCH',
  path: '/templates/{template_id}',
  summary: 'Update a draft',
  description: `${PATCH_DESCRIPTION} Refused with \`409\` unless the version is a draft. A separate operation updates the content.`,
  access: 'write',
  params: z.strictObject({ template_id: Uuid }),
  body: TemplateChanges,
  success: 200,
  response: Template,
  heavy: true,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  templates.update(caller, params.template_id, body, expectedVersion),
);
