import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as reports from '../../shared/reports/rows/reports.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Report } from '../../shared/schemas/reports/report.ts';

export const operation = defineOperation({
  id: 'getReport',
  method: 'GET',
  path: '/reports/{report_id}',
  summary: 'Get a report',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ report_id: Uuid }),
  success: 200,
  response: Report,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  reports.get(caller, params.report_id),
);
