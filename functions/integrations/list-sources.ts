import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as sources from '../../shared/integrations/rows/sources.ts';
import { listQuery, searchFilter, Uuid } from '../../shared/schemas/common.ts';
import { Source } from '../../shared/schemas/integrations/source.ts';

export const operation = defineOperation({
  id: 'listSources',
  method: 'GET',
  path: '/integrations/connections/{connection_id}/sources',
  summary: 'List the sources of a connection',
  access: 'read',
  app: { path: '/integrations/connections/{connection_id}/sources', roles: ['admin'] },
  params: z.strictObject({ connection_id: Uuid }),
  query: listQuery(searchFilter),
  success: 200,
  response: z.array(Source),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  sources.listOf(caller, params.connection_id, query),
);
