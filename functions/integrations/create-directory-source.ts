import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { createDirectorySource } from '../../shared/integrations/sources.ts';
import { DirectorySource, NewDirectorySource } from '../../shared/schemas/integrations/source.ts';

export const operation = defineOperation({
  id: 'createDirectorySource',
  method: 'POST',
  path: '/integrations/directory-sources',
  summary: 'Create a directory source',
  description:
    'Its people become user candidates. They become members only when an admin invites them. `409` when the vendor refuses the credential, and the connection then has the status `error`. `503` when the vendor is down, or asks for a longer pause than 10 seconds.',
  access: 'write',
  app: { path: '/integrations/directory-sources', roles: ['admin'] },
  body: NewDirectorySource,
  success: 201,
  response: DirectorySource,
});

export const handler = createHandler(operation, ({ body, caller }) => createDirectorySource(caller, body));
