import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { WebhookDelivery } from '../../shared/schemas/webhook.ts';
import * as deliveries from '../../shared/webhooks/deliveries.ts';

export const operation = defineOperation({
  id: 'replayWebhookDelivery',
  method: 'POST',
  path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/replay',
  summary: 'Send a delivery again',
  description:
    'Makes a new delivery of the same event, with the same event id and the same bytes. `409` while the webhook is disabled. A key with scopes needs the scope that reads what the event is about.',
  access: 'write',
  app: { path: '/webhooks/{webhook_id}/deliveries/{delivery_id}/replay', roles: ['admin'] },
  params: z.strictObject({ webhook_id: Uuid, delivery_id: Uuid }),
  success: 202,
  location: '/webhooks/{webhook_id}/deliveries/{delivery_id}',
  response: WebhookDelivery,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  deliveries.sendAgain(caller, params.webhook_id, params.delivery_id),
);
