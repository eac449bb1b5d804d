import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import { ApiKey, ApiKeyChanges } from '../../shared/schemas/api-key.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'updateApiKey',
  method: 'PATCH',
  surface: 'app',
  path: '/api-keys/{key_id}',
  summary: 'Change what an API key may do, and from where',
  description: `${PATCH_DESCRIPTION} It takes effect with the key’s next request. A key that was revoked or has expired cannot be changed: \`409\`.`,
  access: 'write',
  roles: ['admin'],
  params: z.strictObject({ key_id: Uuid }),
  body: ApiKeyChanges,
  success: 200,
  response: ApiKey,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  apiKeys.update(caller, params.key_id, body),
);
