import * as z from 'zod';
import { personOperation } from '../../shared/http/handler.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const { operation, handler } = personOperation({
  id: 'editTemplateWithAi',
  method: 'POST',
  path: '/templates/{template_id}/ai-edit',
  summary: 'Edit a draft with AI',
  params: z.strictObject({ template_id: Uuid }),
});
