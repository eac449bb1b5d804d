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
    'The vendor is asked at once whether the credential is still good. A bad one is no error of the request: the connection then has the status `error`. `503` when the vendor cannot be asked now.',
  access: 'write',
  roles: ['admin'],
  params: z.strictObject({ connection_id: Uuid }),
  success: 200,
  response: Connection,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  verifyConnection(caller, params.connection_id),
);
