import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { verifyConnection } from '../../shared/integrations/connect.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Connection } from '../../shared/schemas/integrations/connection.ts';

export const operation = defineOperation({
  id: 'verifyConnection',
  method: 'POST',
  surface: 'app',
  path: '/integrations/connections/{connection_id}/verify',
  summary: 'Verify a connection',
  description:
    'The service asks the vendor whether the credential still works. If the vendor refuses it, the request succeeds all the same, and the connection has the status `error`. `503` when the vendor does not answer.',
  access: 'write',
  roles: ['admin'],
  params: z.strictObject({ connection_id: Uuid }),
  success: 200,
  response: Connection,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  verifyConnection(caller, params.connection_id),
);
