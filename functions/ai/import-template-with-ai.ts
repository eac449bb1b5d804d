import * as z from 'zod';
import { personNeeded } from '../../shared/http/errors.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';

export const operation = defineOperation({
  id: 'importTemplateWithAi',
  method: 'POST',
  path: '/templates/ai-import',
  summary: 'Import a template from a document with AI',
  access: 'person',
  success: 200,
  response: z.null(),
  grants: [],
  calls: 1,
});

export const handler = createHandler(operation, () => {
  throw personNeeded();
});
