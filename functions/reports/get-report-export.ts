import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { exportUrl } from '../../shared/reports/files.ts';
import { getExport } from '../../shared/reports/rows/exports.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { ReportExport } from '../../shared/schemas/reports/report-export.ts';

export const operation = defineOperation({
  id: 'getReportExport',
  method: 'GET',
  path: '/reports/{report_id}/exports/{export_id}',
  summary: 'Get a report export',
  description:
    'While the report is rendered and the file is made, poll it every few seconds: it ends as `ready`, with a URL of the ' +
    'file, or as `failed`, with the reason.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ report_id: Uuid, export_id: Uuid }),
  success: 200,
  response: ReportExport,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  getExport(caller, params.report_id, params.export_id, (file) => exportUrl(caller, file)),
);
