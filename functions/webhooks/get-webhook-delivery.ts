import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { WebhookDeliveryDetails } from '../../shared/schemas/webhook.ts';
import * as deliveries from '../../shared/webhooks/deliveries.ts';

export const operation = defineOperation({
  id: 'getWebhookDelivery',
  method: 'GET',
  path: '/webhooks/{webhook_id}/deliveries/{delivery_id}',
  summary: 'Get a delivery with its request and its attempts',
  description:
    '`reply_body` and `reply_headers` are what the receiver has sent: show them as text only. A key with scopes sees the body of the request and the replies only with the scope that reads what the event is about.',
  access: 'read',
  app: { path: '/webhooks/{webhook_id}/deliveries/{delivery_id}', roles: ['admin'] },
  params: z.strictObject({ webhook_id: Uuid, delivery_id: Uuid }),
  success: 200,
  response: WebhookDeliveryDetails,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  deliveries.get(caller, params.webhook_id, params.delivery_id),
);
