import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as emails from '../../shared/reports/rows/emails.ts';
import { listQuery, Uuid } from '../../shared/schemas/common.ts';
import { ReportEmail } from '../../shared/schemas/reports/report-email.ts';

export const operation = defineOperation({
  id: 'listReportEmails',
  method: 'GET',
  path: '/reports/{report_id}/email',
  summary: 'List the mails of a report',
  description: 'Newest first, with what became of each mail at each of its recipients.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ report_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(ReportEmail),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  emails.list(caller, params.report_id, query),
);
