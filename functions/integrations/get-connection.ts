import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as connections from '../../shared/integrations/rows/connections.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Connection } from '../../shared/schemas/integrations/connection.ts';

export const operation = defineOperation({
  id: 'getConnection',
  method: 'GET',
  path: '/integrations/connections/{connection_id}',
  summary: 'Get a connection',
  access: 'read',
  app: { path: '/integrations/connections/{connection_id}', roles: ['admin'] },
  params: z.strictObject({ connection_id: Uuid }),
  success: 200,
  response: Connection,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  connections.get(caller, params.connection_id),
);
