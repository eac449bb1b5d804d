import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as reports from '../../shared/reports/rows/reports.ts';
import { listQuery, Uuid } from '../../shared/schemas/common.ts';
import { Report } from '../../shared/schemas/reports/report.ts';

export const operation = defineOperation({
  id: 'listReports',
  method: 'GET',
  path: '/inspections/{inspection_id}/reports',
  summary: 'List the reports of an inspection',
  description: 'Newest first.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(Report),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  reports.list(caller, params.inspection_id, query),
);
