import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import { ApiKey } from '../../shared/schemas/api-key.ts';

export const operation = defineOperation({
  id: 'listApiKeys',
  method: 'GET',
  surface: 'app',
  path: '/api-keys',
  summary: 'List the API keys',
  description:
    'All of them, in the order in which they were created; also those that have expired or were revoked.',
  access: 'read',
  roles: ['admin'],
  success: 200,
  response: z.array(ApiKey),
});

export const handler = createHandler(operation, ({ caller }) => apiKeys.list(caller));
