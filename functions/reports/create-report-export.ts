import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { exportUrl } from '../../shared/reports/files.ts';
import { createExport } from '../../shared/reports/rows/exports.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { ANSWER_COLUMNS, NewReportExport, ReportExport } from '../../shared/schemas/reports/report-export.ts';
import { refusedBeyond } from '../../shared/schemas/slots.ts';

export const operation = defineOperation({
  id: 'createReportExport',
  method: 'POST',
  path: '/reports/{report_id}/exports',
  summary: 'Export a report as a file',
  description:
    'Starts an export. If the report already has an export in this format that has neither failed nor expired, returns ' +
    'that one. A PDF is `ready` together with its report; the file of another format is made after that. ' +
    'The reply to an export that is ready has a URL of the file, and ' +
    '`GET /reports/{report_id}/exports/{export_id}` returns one later. The file has the number and the name of ' +
    'the inspection. `409` for a report that could not be rendered, and when the organization has reached its maximum of ' +
    'exported bytes. The file is deleted 31 days after it was made. ' +
    refusedBeyond('EXPORT') +
    ANSWER_COLUMNS,
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ report_id: Uuid }),
  body: NewReportExport,
  success: 202,
  location: '/reports/{report_id}/exports/{export_id}',
  response: ReportExport,
  example: { body: { format: 'xlsx' } },
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  createExport(caller, params.report_id, body, (file) => exportUrl(caller, file)),
);
