import { personOperation } from '../../shared/http/operation/person-operation.ts';

export const { operation, handler } = personOperation({
  id: 'importTemplateWithAi',
  method: 'POST',
  path: '/templates/ai-import',
  summary: 'Import a template from a document with AI',
});
