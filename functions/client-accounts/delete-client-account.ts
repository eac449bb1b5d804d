import * as z from 'zod';
import * as clientAccounts from '../../shared/db/client-accounts/client-accounts.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteClientAccount',
  method: 'DELETE',
  path: '/client-accounts/{ca_id}',
  summary: 'Delete a client account',
  description:
    'Refused with `409` while inspections belong to it, unless `cascade` is true, which deletes them with their answers, findings and reports. The account is gone at once and nothing new can name it; its locations, and with `cascade` its inspections, go within moments.',
  access: 'write',
  params: z.strictObject({ ca_id: Uuid }),
  query: z.strictObject({
    cascade: z.boolean().default(false).meta({ description: 'Whether its inspections are deleted as well.' }),
  }),
  success: 204,
  response: z.null(),
  errors: [409],
  grants: ['table:GetItem', 'table:PutItem', 'table:UpdateItem', 'table:DeleteItem'],
  calls: 3,
});

export const handler = createHandler(operation, async ({ params, query, caller }) => {
  await clientAccounts.remove(caller, params.ca_id, query);
});
