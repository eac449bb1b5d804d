import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as sources from '../../shared/integrations/rows/sources.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { SourceRow, sourceRowQuery } from '../../shared/schemas/integrations/source.ts';

export const operation = defineOperation({
  id: 'listSourceRows',
  method: 'GET',
  path: '/integrations/sources/{source_id}/rows',
  summary: 'List the rows of a source',
  description:
    'The rows as the last sync left them, in no particular order. A form offers these rows in its `reference` fields that name the source.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ source_id: Uuid }),
  query: sourceRowQuery,
  success: 200,
  response: z.array(SourceRow),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  sources.listSourceRows(caller, params.source_id, query),
);
