import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as live from '../../shared/integrations/live.ts';
import { SearchText, Uuid } from '../../shared/schemas/common.ts';
import { liveQuery, Board, ExternalId } from '../../shared/schemas/integrations/vendor.ts';

export const operation = defineOperation({
  id: 'listBoards',
  method: 'GET',
  path: '/integrations/connections/{connection_id}/boards',
  summary: 'List boards',
  description:
    'Read from the vendor page by page while the reply is sent. `409` when the vendor refuses the credential, and the connection then has the status `error`. `503` when the vendor is down, or asks for a longer pause than 10 seconds.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ connection_id: Uuid }),
  query: liveQuery({ q: SearchText.optional(), workspace_id: ExternalId.optional() }),
  success: 200,
  response: z.array(Board),
  list: true,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  live.boards(caller, params.connection_id, query),
);
