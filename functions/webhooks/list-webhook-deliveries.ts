import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { DeliveryQuery, WebhookDelivery } from '../../shared/schemas/webhook.ts';
import * as deliveries from '../../shared/webhooks/deliveries.ts';

export const operation = defineOperation({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/webhooks/{webhook_id}/deliveries',
  summary: 'List the deliveries to a webhook',
  description:
    'Newest first. They are kept for 30 days. They say which events were sent, not what the events tell.',
  access: 'read',
  app: { path: '/webhooks/{webhook_id}/deliveries', roles: ['admin'] },
  params: z.strictObject({ webhook_id: Uuid }),
  query: DeliveryQuery,
  success: 200,
  response: z.array(WebhookDelivery),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  deliveries.list(caller, params.webhook_id, query),
);
