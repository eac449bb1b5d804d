import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { listQuery, Uuid } from '../../../shared/schemas/common.ts';
import { ReportLayout } from '../../../shared/schemas/templates/report-layout.ts';
import * as layouts from '../../../shared/templates/report-layouts.ts';

export const operation = defineOperation({
  id: 'listReportLayouts',
  method: 'GET',
  path: '/templates/families/{family_id}/report-layouts',
  summary: 'List the report layouts of a template family',
  description: 'In the order of creation.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ family_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(ReportLayout),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  layouts.list(caller, params.family_id, query),
);
