import * as z from 'zod';
import * as apiKeys from '../../shared/db/organization/api-keys.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { CreatedApiKey, KeyRotation } from '../../shared/schemas/api-key.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'rotateApiKey',
  method: 'POST',
  surface: 'app',
  path: '/api-keys/{key_id}/rotate',
  summary: 'Rotate an API key',
  description:
    'The key gets another secret, which is in this reply only; its id, its rights and its place in the rate limit stay. The secret before it works on for `overlap_hours`, so that all systems can change over without a refused request. A rotation within that time ends the secret before the last one at once.',
  access: 'write',
  roles: ['admin'],
  params: z.strictObject({ key_id: Uuid }),
  body: KeyRotation,
  success: 200,
  response: CreatedApiKey,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  apiKeys.rotate(caller, params.key_id, body),
);
