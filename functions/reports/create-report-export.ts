import * as z from 'zod';
import * as reports from '../../shared/db/reports/reports.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewReportExport, ReportExport } from '../../shared/schemas/reports/report.ts';

export const operation = defineOperation({
  id: 'createReportExport',
  method: 'POST',
  path: '/reports/{report_id}/exports',
  summary: 'Export a report as a file',
  description:
    'Starts an export. If the report already has an export in this format that has not expired, returns that one. The ' +
    'export becomes `ready` together with its report. `GET /reports/{report_id}/exports/{export_id}` then returns a ' +
    'URL of the file.',
  access: 'write',
  params: z.strictObject({ report_id: Uuid }),
  body: NewReportExport,
  success: 202,
  response: ReportExport,
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:Query', 'table:PutItem', 'table:UpdateItem'],
  calls: 5,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  reports.createExport(caller, params.report_id, body),
);
