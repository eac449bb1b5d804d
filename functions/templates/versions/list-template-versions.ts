import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { listQuery, Uuid } from '../../../shared/schemas/common.ts';
import { TemplateVersion } from '../../../shared/schemas/templates/template.ts';
import * as templates from '../../../shared/templates/versions.ts';

export const operation = defineOperation({
  id: 'listTemplateVersions',
  method: 'GET',
  path: '/templates/families/{family_id}/versions',
  summary: 'List the versions of a template family',
  description: 'Ordered by version number, without the contents.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ family_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(TemplateVersion),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  templates.list(caller, params.family_id, query),
);
