import { personOperation } from '../../shared/http/handler.ts';

export const { operation, handler } = personOperation({
  id: 'generateTemplateWithAi',
  method: 'POST',
  path: '/templates/ai-generate',
  summary: 'Generate a template with AI',
});
