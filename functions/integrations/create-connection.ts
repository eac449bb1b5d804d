import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { createConnection } from '../../shared/integrations/connect.ts';
import { Connection, NewConnection } from '../../shared/schemas/integrations/connection.ts';

export const operation = defineOperation({
  id: 'createConnection',
  method: 'POST',
  path: '/integrations/connections',
  summary: 'Connect another system',
  description:
    'The service asks the vendor at once whether the credential works. If the vendor refuses it, the connection is created all the same, with the status `error`. The credential is stored encrypted and never returned. `503` when the vendor does not answer.',
  access: 'write',
  app: { path: '/integrations/connections', roles: ['admin'] },
  body: NewConnection,
  success: 201,
  location: '/integrations/connections/{connection_id}',
  response: Connection,
});

export const handler = createHandler(operation, ({ body, caller }) => createConnection(caller, body));
