import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as live from '../../shared/integrations/live.ts';
import { SearchText, Uuid } from '../../shared/schemas/common.ts';
import { liveQuery, ExternalId, Item } from '../../shared/schemas/integrations/vendor.ts';

export const operation = defineOperation({
  id: 'listItems',
  method: 'GET',
  path: '/integrations/connections/{connection_id}/items',
  summary: 'List the items of a board',
  description:
    'Read from the vendor page by page while the reply is sent. `409` when the vendor refuses the credential, and the connection then has the status `error`. `503` when the vendor is down, or asks for a longer pause than 10 seconds.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ connection_id: Uuid }),
  query: liveQuery({
    board_id: ExternalId,
    group_ids: z
      .array(ExternalId)
      .max(100)
      .optional()
      .meta({ description: 'Only items of these groups. The parameter can be repeated.' }),
    q: SearchText.optional(),
  }),
  success: 200,
  response: z.array(Item),
  list: true,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  live.items(caller, params.connection_id, query),
);
