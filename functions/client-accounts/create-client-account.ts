import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
import { ClientAccount, NewClientAccount } from '../../shared/schemas/client-account.ts';

export const operation = defineOperation({
  id: 'createClientAccount',
  method: 'POST',
  path: '/client-accounts',
  summary: 'Create a client account',
  access: 'write',
  body: NewClientAccount,
  success: 201,
  location: '/client-accounts/{ca_id}',
  response: ClientAccount,
});

export const handler = createHandler(operation, ({ body, caller }) => clientAccounts.create(caller, body));
