import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { updateSource } from '../../shared/integrations/sources.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Source, SourceChanges } from '../../shared/schemas/integrations/source.ts';

export const operation = defineOperation({
  id: 'updateSource',
  method: 'PATCH',
  path: '/integrations/sources/{source_id}',
  summary: 'Update a source',
  description:
    'Changes only the fields that are present. A sync that runs begins again when the source is changed, and is cancelled when the source is paused. New mappings are compared with the board, as when a source is created.',
  access: 'write',
  params: z.strictObject({ source_id: Uuid }),
  body: SourceChanges,
  success: 200,
  response: Source,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  updateSource(caller, params.source_id, body, expectedVersion),
);
