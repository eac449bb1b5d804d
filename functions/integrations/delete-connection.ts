import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as connections from '../../shared/integrations/rows/connections.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteConnection',
  method: 'DELETE',
  path: '/integrations/connections/{connection_id}',
  summary: 'Delete a connection',
  description:
    'Its credential is deleted and its sources are paused for good. The rows that came from them stay. A few moments later, these rows are local and can be changed by hand.',
  access: 'write',
  app: { path: '/integrations/connections/{connection_id}', roles: ['admin'] },
  params: z.strictObject({ connection_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await connections.remove(caller, params.connection_id, expectedVersion);
});
