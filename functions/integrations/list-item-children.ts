import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as live from '../../shared/integrations/live.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { ExternalId, Item } from '../../shared/schemas/integrations/vendor.ts';

export const operation = defineOperation({
  id: 'listItemChildren',
  method: 'GET',
  path: '/integrations/connections/{connection_id}/item-children',
  summary: 'List the subitems of an item',
  description:
    'Read from the vendor now. `409` when the vendor refuses the credential, and the connection then has the status `error`. `503` when the vendor is down, or asks for a longer pause than 10 seconds.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ connection_id: Uuid }),
  query: z.strictObject({ item_id: ExternalId }),
  success: 200,
  response: z.array(Item),
  errors: [409],
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  live.children(caller, params.connection_id, query.item_id),
);
