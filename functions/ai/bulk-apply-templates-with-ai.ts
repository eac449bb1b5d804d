import { personOperation } from '../../shared/http/handler.ts';

export const { operation, handler } = personOperation({
  id: 'bulkApplyTemplatesWithAi',
  method: 'POST',
  path: '/templates/ai-bulk-apply',
  summary: 'Apply a proposed edit to many templates',
});
