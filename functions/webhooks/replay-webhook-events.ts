import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewWebhookReplay, WebhookReplay } from '../../shared/schemas/webhook.ts';
import * as replays from '../../shared/webhooks/replays.ts';

export const operation = defineOperation({
  id: 'replayWebhookEvents',
  method: 'POST',
  path: '/webhooks/{webhook_id}/replay',
  summary: 'Send the events of a period again',
  description:
    'After an outage of the receiver, one call leaves no gap: each event that was recorded in the period gets a new delivery, with the same id and the same bytes, also if it was delivered before. The deliveries are sent in the background, and new events go first. `GET /webhooks/{webhook_id}/replays` shows the progress. `409` while the webhook is disabled, and while another replay of it runs. A key with scopes needs the scopes that read what all events of the `types` are about.',
  access: 'write',
  app: { path: '/webhooks/{webhook_id}/replay', roles: ['admin'] },
  params: z.strictObject({ webhook_id: Uuid }),
  body: NewWebhookReplay,
  success: 202,
  location: '/webhooks/{webhook_id}/replays',
  response: WebhookReplay,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  replays.start(caller, params.webhook_id, body),
);
