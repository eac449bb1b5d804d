import * as z from 'zod';
import { personNeeded } from '../../shared/http/errors.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'editTemplateWithAi',
  method: 'POST',
  path: '/templates/{template_id}/ai-edit',
  summary: 'Edit a draft with AI',
  access: 'person',
  params: z.strictObject({ template_id: Uuid }),
  success: 200,
  response: z.null(),
  grants: [],
  calls: 1,
});

export const handler = createHandler(operation, () => {
  throw personNeeded();
});
