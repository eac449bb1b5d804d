import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { WebhookDelivery } from '../../shared/schemas/webhook.ts';
import * as deliveries from '../../shared/webhooks/deliveries.ts';

export const operation = defineOperation({
  id: 'testWebhook',
  method: 'POST',
  path: '/webhooks/{webhook_id}/test',
  summary: 'Send a test to a webhook',
  description:
    'Sends a message of the type `webhook.test` at once, signed like an event, but once only: it is not attempted again. The message is not an event, so `GET /v1/events` does not list it. `409` while the webhook is disabled.',
  access: 'write',
  app: { path: '/webhooks/{webhook_id}/test', roles: ['admin'] },
  params: z.strictObject({ webhook_id: Uuid }),
  success: 202,
  location: '/webhooks/{webhook_id}/deliveries/{delivery_id}',
  response: WebhookDelivery,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  deliveries.sendTest(caller, params.webhook_id),
);
