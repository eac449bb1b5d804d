import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as reports from '../../shared/reports/rows/reports.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewReport, Report } from '../../shared/schemas/reports/report.ts';
import { refusedBeyond } from '../../shared/schemas/slots.ts';

export const operation = defineOperation({
  id: 'createReport',
  method: 'POST',
  path: '/inspections/{inspection_id}/reports',
  summary: 'Create a report',
  description:
    'Queues a report of the inspection in its present state, whatever its status. A few seconds later, the report is ' +
    '`ready` or `failed`. A report of an inspection that is not completed says Draft on every page and gives no verdict. ' +
    'The texts of the template are in the language of the report where the template has them in it. ' +
    refusedBeyond('RENDER'),
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: NewReport.optional().transform((body) => body ?? { layout_id: null, language: null }),
  success: 202,
  location: '/reports/{report_id}',
  response: Report,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  reports.create(caller, params.inspection_id, body),
);
