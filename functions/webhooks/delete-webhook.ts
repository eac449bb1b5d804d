import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import * as webhooks from '../../shared/webhooks/webhooks.ts';

export const operation = defineOperation({
  id: 'deleteWebhook',
  method: 'DELETE',
  path: '/webhooks/{webhook_id}',
  summary: 'Delete a webhook',
  description:
    'Nothing more is sent to it, whether it is active or disabled. Its deliveries are deleted a few moments later.',
  access: 'write',
  app: { path: '/webhooks/{webhook_id}', roles: ['admin'] },
  params: z.strictObject({ webhook_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await webhooks.remove(caller, params.webhook_id, expectedVersion);
});
