import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as apiKeys from '../../shared/organizations/api-keys.ts';
import { CreatedApiKey, NewApiKey } from '../../shared/schemas/api-key.ts';

export const operation = defineOperation({
  id: 'createApiKey',
  method: 'POST',
  surface: 'app',
  path: '/api-keys',
  summary: 'Create an API key',
  description:
    '`key` is in this reply only. A lost key cannot be recovered: revoke it, and create another one.',
  access: 'write',
  roles: ['admin'],
  body: NewApiKey,
  success: 201,
  response: CreatedApiKey,
});

export const handler = createHandler(operation, ({ body, caller }) => apiKeys.create(caller, body));
