import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as sources from '../../shared/integrations/rows/sources.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Source } from '../../shared/schemas/integrations/source.ts';

export const operation = defineOperation({
  id: 'getSource',
  method: 'GET',
  path: '/integrations/sources/{source_id}',
  summary: 'Get a source',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ source_id: Uuid }),
  success: 200,
  response: Source,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  sources.get(caller, params.source_id),
);
