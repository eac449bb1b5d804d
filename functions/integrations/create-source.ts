import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { createSource } from '../../shared/integrations/sources.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewSource, Source } from '../../shared/schemas/integrations/source.ts';

export const operation = defineOperation({
  id: 'createSource',
  method: 'POST',
  path: '/integrations/connections/{connection_id}/sources',
  summary: 'Create a source',
  description:
    'The service compares the mappings with the columns of the board and the fields of the target. A `422` names each mapping that does not fit. A source with a schedule is synced at once; any other by `POST …/sync`. `409` when the vendor refuses the credential, and the connection then has the status `error`. `503` when the vendor is down, or asks for a longer pause than 10 seconds.',
  access: 'write',
  app: { path: '/integrations/connections/{connection_id}/sources', roles: ['admin'] },
  params: z.strictObject({ connection_id: Uuid }),
  body: NewSource,
  success: 201,
  location: '/integrations/sources/{source_id}',
  response: Source,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  createSource(caller, params.connection_id, body),
);
