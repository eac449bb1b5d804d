import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { listQuery } from '../../shared/schemas/common.ts';
import { Webhook } from '../../shared/schemas/webhook.ts';
import * as webhooks from '../../shared/webhooks/webhooks.ts';

export const operation = defineOperation({
  id: 'listWebhooks',
  method: 'GET',
  path: '/webhooks',
  summary: 'List the webhooks',
  description: 'In the order of their creation.',
  access: 'read',
  app: { path: '/webhooks', roles: ['admin'] },
  query: listQuery({}),
  success: 200,
  response: z.array(Webhook),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => webhooks.list(caller, query));
