import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as clientAccounts from '../../shared/places/client-accounts/client-accounts.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'eraseClientAccount',
  method: 'POST',
  surface: 'app',
  path: '/client-accounts/{ca_id}/erase',
  summary: 'Erase a client account',
  description:
    'Deletes the client account with everything that belongs to it. Unlike `DELETE /client-accounts/{ca_id}`, it also deletes inspections that were completed, approved or signed. It cannot be undone. The audit log records who did it, and how much was deleted. The account is deleted at once, and what belongs to it a few moments later.',
  access: 'write',
  roles: ['admin'],
  params: z.strictObject({ ca_id: Uuid }),
  guarded: true,
  success: 200,
  response: z.null(),
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  clientAccounts.erase(caller, params.ca_id, expectedVersion),
);
