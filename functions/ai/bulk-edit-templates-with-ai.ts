import { personOperation } from '../../shared/http/handler.ts';

export const { operation, handler } = personOperation({
  id: 'bulkEditTemplatesWithAi',
  method: 'POST',
  path: '/templates/ai-bulk-edit',
  summary: 'Propose an edit of many templates with AI',
});
