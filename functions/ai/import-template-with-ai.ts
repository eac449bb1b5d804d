import { personOperation } from '../../shared/http/handler.ts';

export const { operation, handler } = personOperation({
  id: 'importTemplateWithAi',
  method: 'POST',
  path: '/templates/ai-import',
  summary: 'Import a template from a document with AI',
});
