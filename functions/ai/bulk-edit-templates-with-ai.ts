import { personOperation } from '../../shared/http/operation/person-operation.ts';

export const { operation, handler } = personOperation({
  id: 'bulkEditTemplatesWithAi',
  method: 'POST',
  path: '/templates/ai-bulk-edit',
  summary: 'Propose an edit of many templates with AI',
});
