import * as z from 'zod';
import { personNeeded } from '../../shared/http/errors.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';

export const operation = defineOperation({
  id: 'bulkApplyTemplatesWithAi',
  method: 'POST',
  path: '/templates/ai-bulk-apply',
  summary: 'Apply a proposed edit to many templates',
  access: 'person',
  success: 200,
  response: z.null(),
  grants: [],
  calls: 1,
});

export const handler = createHandler(operation, () => {
  throw personNeeded();
});
