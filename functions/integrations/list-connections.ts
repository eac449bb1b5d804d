import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as connections from '../../shared/integrations/rows/connections.ts';
import { listQuery } from '../../shared/schemas/common.ts';
import { Connection } from '../../shared/schemas/integrations/connection.ts';

export const operation = defineOperation({
  id: 'listConnections',
  method: 'GET',
  path: '/integrations/connections',
  summary: 'List connections',
  access: 'read',
  app: { path: '/integrations/connections', roles: ['admin'] },
  query: listQuery({}),
  success: 200,
  response: z.array(Connection),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => connections.list(caller, query));
