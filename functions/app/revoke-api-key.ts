import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'revokeApiKey',
  method: 'POST',
  surface: 'app',
  path: '/api-keys/{key_id}/revoke',
  summary: 'Revoke an API key',
  description:
    'The key stops working at once, also with the secret from before a rotation. It cannot be undone. Revoking it again changes nothing.',
  access: 'write',
  roles: ['admin'],
  params: z.strictObject({ key_id: Uuid }),
  success: 200,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller }) => {
  await apiKeys.revoke(caller, params.key_id);
  return null;
});
