import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { Snapshot } from '../../../shared/schemas/templates/template.ts';
import * as templates from '../../../shared/templates/versions.ts';

export const operation = defineOperation({
  id: 'getTemplateSnapshot',
  method: 'GET',
  path: '/templates/{template_id}/snapshot',
  summary: 'Get the snapshot of a template version',
  description:
    'The content that inspections of this version use; it never changes. Refused with `409` for a draft, which has no snapshot.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ template_id: Uuid }),
  success: 200,
  response: Snapshot,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, caller }) =>
  templates.snapshot(caller, params.template_id),
);
