import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as emails from '../../shared/reports/rows/emails.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { QueuedReportEmail, ReportSending } from '../../shared/schemas/reports/report-email.ts';

export const operation = defineOperation({
  id: 'sendReport',
  method: 'POST',
  path: '/inspections/{inspection_id}/report/send',
  summary: 'Send the report of an inspection by email',
  description:
    'Sends the newest report of the inspection, if it shows the present state in the requested layout. Otherwise a new ' +
    'one is rendered first. Rendering and mailing are one job: the mail is sent once, and `GET /reports/{report_id}/email` ' +
    'shows it. What the request leaves out is as in the send defaults. `422` if neither the request nor the client ' +
    'account names a recipient; `409` and `429` as for `POST /reports/{report_id}/email`, and `429` as for `POST …/reports` where a report is rendered first.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: ReportSending.optional().transform((body) => body ?? {}),
  success: 202,
  location: '/reports/{report_id}/email',
  response: QueuedReportEmail,
  example: { body: { to: ['ana.silva@example.com'], format: 'pdf', include_link: true } },
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  emails.send(caller, params.inspection_id, body),
);
