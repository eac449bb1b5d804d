import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Webhook } from '../../shared/schemas/webhook.ts';
import * as webhooks from '../../shared/webhooks/webhooks.ts';

export const operation = defineOperation({
  id: 'getWebhook',
  method: 'GET',
  path: '/webhooks/{webhook_id}',
  summary: 'Get a webhook',
  description:
    'With its status, its last success and its last failure. Only the replies to its creation and to a rotation have the secret.',
  access: 'read',
  app: { path: '/webhooks/{webhook_id}', roles: ['admin'] },
  params: z.strictObject({ webhook_id: Uuid }),
  success: 200,
  response: Webhook,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  webhooks.get(caller, params.webhook_id),
);
