import * as z from 'zod';
import * as reports from '../../shared/db/reports/reports.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewReportExport, ReportExport } from '../../shared/schemas/reports/report.ts';

export const operation = defineOperation({
  id: 'createReportExport',
  method: 'POST',
  path: '/reports/{report_id}/exports',
  summary: 'Export a report as a file',
  description:
    'Begins an export, or returns the one there is in this format while it has not expired. It is ready with its report; ' +
    'a GET of it then gives a URL of the file.',
  access: 'write',
  params: z.strictObject({ report_id: Uuid }),
  body: NewReportExport,
  success: 202,
  response: ReportExport,
  errors: [409],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:Query', 'table:PutItem', 'table:UpdateItem'],
  calls: 5,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  reports.createExport(caller, params.report_id, body),
);
