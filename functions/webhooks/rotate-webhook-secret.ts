import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { RotatedSecret, SecretRotation } from '../../shared/schemas/webhook.ts';
import { rotateSecret } from '../../shared/webhooks/endpoints.ts';

export const operation = defineOperation({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/webhooks/{webhook_id}/rotate',
  summary: 'Rotate the secret of a webhook',
  description:
    'Only this reply has the new secret; with an idempotency key, the repeated reply has it as well, for 24 hours. For `overlap_hours` every delivery is signed with the new and the former secret, so that the receiver can change over: for 24 hours when it is left out. Only the last two secrets work: a second rotation within that time ends the oldest one at once.',
  access: 'write',
  app: { path: '/webhooks/{webhook_id}/rotate', roles: ['admin'] },
  params: z.strictObject({ webhook_id: Uuid }),
  body: SecretRotation.prefault({}),
  guarded: true,
  success: 200,
  response: RotatedSecret,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  rotateSecret(caller, params.webhook_id, body, expectedVersion),
);
