import { personOperation } from '../../shared/http/operation/person-operation.ts';

export const { operation, handler } = personOperation({
  id: 'generateTemplateWithAi',
  method: 'POST',
  path: '/templates/ai-generate',
  summary: 'Generate a template with AI',
});
