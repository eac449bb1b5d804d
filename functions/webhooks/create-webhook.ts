import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { CreatedWebhook, NewWebhook } from '../../shared/schemas/webhook.ts';
import { createWebhook } from '../../shared/webhooks/endpoints.ts';

export const operation = defineOperation({
  id: 'createWebhook',
  method: 'POST',
  path: '/webhooks',
  summary: 'Create a webhook',
  description:
    'Each delivery is a POST of the document that `GET /v1/events` shows, with the headers of Standard Webhooks. `webhook-id` is the id of the event. It is the same at every attempt and replay, so that a receiver can ignore what it has had already. `webhook-timestamp` is the time of the attempt in epoch seconds. `webhook-signature` has a `v1,<signature>` for each secret that is valid, separated by spaces: the base64 of the HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}`, whose key is the base64 after `whsec_`. Accept a delivery if one signature matches and the time is within five minutes of yours.\n\nAny 2xx within 10 seconds is a success; a redirect is a failure. 410 ends the subscription: the endpoint is disabled (`disabled_reason: gone`), and nothing more is sent to it. A failed delivery is attempted again after 5 s, 1 m, 5 m, 30 m, 2 h, 6 h, 12 h and 24 h. Events may arrive in another order than they happened.\n\nAn endpoint gets the events from its creation on. An organization can have 1,000 endpoints. An endpoint belongs to the organization, not to the key that has made it. When this key gets other scopes, is rotated, expires or is revoked, the endpoint stays, with its `types`, until it is deleted. `created_by` is the `user_id` of the key, by which an admin finds its endpoints. A key with scopes needs the scopes that read what all events of the `types` are about.\n\nOnly this reply has the `secret`; with an idempotency key, the repeated reply has it as well, for 24 hours.',
  access: 'write',
  app: { path: '/webhooks', roles: ['admin'] },
  body: NewWebhook,
  success: 201,
  location: '/webhooks/{webhook_id}',
  response: CreatedWebhook,
});

export const handler = createHandler(operation, ({ body, caller }) => createWebhook(caller, body));
