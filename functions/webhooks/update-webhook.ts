import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Webhook, WebhookChanges } from '../../shared/schemas/webhook.ts';
import { updateWebhook } from '../../shared/webhooks/endpoints.ts';

export const operation = defineOperation({
  id: 'updateWebhook',
  method: 'PATCH',
  path: '/webhooks/{webhook_id}',
  summary: 'Update, disable or enable a webhook',
  description: `${PATCH_DESCRIPTION} The status \`disabled\` cancels its pending deliveries. With \`active\` it gets the events from then on; a replay sends what it has missed. A key with scopes needs the scopes that read what all of its events are about, before and after the change. It needs none of them to disable the webhook.`,
  access: 'write',
  app: { path: '/webhooks/{webhook_id}', roles: ['admin'] },
  params: z.strictObject({ webhook_id: Uuid }),
  body: WebhookChanges,
  success: 200,
  response: Webhook,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  updateWebhook(caller, params.webhook_id, body, expectedVersion),
);
