import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
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
