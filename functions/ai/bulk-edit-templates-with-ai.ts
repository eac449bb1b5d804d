import * as z from 'zod';
import { personNeeded } from '../../shared/http/errors.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';

export const operation = defineOperation({
  id: 'bulkEditTemplatesWithAi',
  method: 'POST',
  path: '/templates/ai-bulk-edit',
  summary: 'Propose an edit of many templates with AI',
  access: 'person',
  success: 200,
  response: z.null(),
  grants: [],
  calls: 1,
});

export const handler = createHandler(operation, () => {
  throw personNeeded();
});
