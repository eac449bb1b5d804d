import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
import { ClientAccount, ClientAccountChanges } from '../../shared/schemas/client-account.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'updateClientAccount',
  method: 'PATCH',
  path: '/client-accounts/{ca_id}',
  summary: 'Update a client account',
  description: PATCH_DESCRIPTION,
  access: 'write',
  params: z.strictObject({ ca_id: Uuid }),
  body: ClientAccountChanges,
  success: 200,
  response: ClientAccount,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  clientAccounts.update(caller, params.ca_id, body, expectedVersion),
);
