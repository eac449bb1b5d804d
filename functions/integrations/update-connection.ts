import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { updateConnection } from '../../shared/integrations/connect.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Connection, ConnectionChanges } from '../../shared/schemas/integrations/connection.ts';

export const operation = defineOperation({
  id: 'updateConnection',
  method: 'PATCH',
  path: '/integrations/connections/{connection_id}',
  summary: 'Update a connection',
  description:
    'A new credential replaces the old one, and the service asks the vendor at once whether it works. If the vendor refuses it, the request succeeds all the same, and the connection has the status `error`.',
  access: 'write',
  app: { path: '/integrations/connections/{connection_id}', roles: ['admin'] },
  params: z.strictObject({ connection_id: Uuid }),
  body: ConnectionChanges,
  success: 200,
  response: Connection,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  updateConnection(caller, params.connection_id, body, expectedVersion),
);
