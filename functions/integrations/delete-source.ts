import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as sources from '../../shared/integrations/rows/sources.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteSource',
  method: 'DELETE',
  path: '/integrations/sources/{source_id}',
  summary: 'Delete a source',
  description:
    'The rows that came from it stay. A few moments later, these rows are local and can be changed by hand. A sync that runs is cancelled.',
  access: 'write',
  params: z.strictObject({ source_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await sources.remove(caller, params.source_id, expectedVersion);
});
