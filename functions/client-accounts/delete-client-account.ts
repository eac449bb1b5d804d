import * as z from 'zod';
import { clientAccounts } from '../../shared/db/client-accounts.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteClientAccount',
  method: 'DELETE',
  path: '/client-accounts/{ca_id}',
  summary: 'Delete a client account',
  access: 'write',
  params: z.strictObject({ ca_id: Uuid }),
  success: 204,
  response: z.null(),
  errors: [409],
  grants: ['table:GetItem', 'table:UpdateItem', 'table:DeleteItem'],
  calls: 3,
});

export const handler = createHandler(operation, async ({ params, caller }) => {
  await clientAccounts.delete(caller, params.ca_id);
});
