import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import { CreatedApiKey, KeyRotation } from '../../shared/schemas/api-key.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'rotateApiKey',
  method: 'POST',
  surface: 'app',
  path: '/api-keys/{key_id}/rotate',
  summary: 'Rotate an API key',
  description:
    'The key gets another secret, which is in this reply only; its id, its rights and its place in the rate limit stay. The former secret works for another `overlap_hours`, so that all your systems can change over without a refused request. Only the last two secrets work: a second rotation within that time ends the oldest one at once.',
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
