import * as z from 'zod';
import * as clientAccounts from '../../shared/db/client-accounts/client-accounts.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { ClientAccount } from '../../shared/schemas/client-account.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'getClientAccount',
  method: 'GET',
  path: '/client-accounts/{ca_id}',
  summary: 'Get a client account',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ ca_id: Uuid }),
  success: 200,
  response: ClientAccount,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  clientAccounts.get(caller, params.ca_id),
);
