import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { listQuery, Uuid } from '../../shared/schemas/common.ts';
import { WebhookReplay } from '../../shared/schemas/webhook.ts';
import * as replays from '../../shared/webhooks/replays.ts';

export const operation = defineOperation({
  id: 'listWebhookReplays',
  method: 'GET',
  path: '/webhooks/{webhook_id}/replays',
  summary: 'List the replays of a webhook',
  description: 'Newest first. They are kept for 30 days.',
  access: 'read',
  app: { path: '/webhooks/{webhook_id}/replays', roles: ['admin'] },
  params: z.strictObject({ webhook_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(WebhookReplay),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  replays.list(caller, params.webhook_id, query),
);
