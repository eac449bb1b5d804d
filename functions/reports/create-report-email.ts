import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as emails from '../../shared/reports/rows/emails.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { NewReportEmail, QueuedReportEmail } from '../../shared/schemas/reports/report-email.ts';
import { refusedBeyond } from '../../shared/schemas/slots.ts';

export const operation = defineOperation({
  id: 'createReportEmail',
  method: 'POST',
  path: '/reports/{report_id}/email',
  summary: 'Send a report by email',
  description:
    'Queues a mail to all recipients. It is sent once: immediately for a `ready` report, otherwise when the report is ' +
    'rendered. `GET` on the same path shows what became of it at each recipient.\n\n' +
    'Members and addresses that have confirmed see each other in To and Cc, as the request names them. Every other ' +
    'address gets a mail of its own. At first, this is a mail of the service that offers the report by its name. The ' +
    'mail of the request, with the file, follows once somebody at the address has agreed, within 14 days (`waiting`, ' +
    'with the reason `unconfirmed`). Until then, the offer is listed among the share links of the report, where it can ' +
    'be ended. Every mail to an address that is no member’s has a link that stops the mails of the organization.\n\n' +
    '`409` for a report that could not be rendered, and for a recipient whose earlier mails bounced or were reported as ' +
    'unwanted (`GET /mail-suppressions`), or who has stopped the mails. ' +
    refusedBeyond('MAIL'),
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ report_id: Uuid }),
  body: NewReportEmail,
  success: 202,
  location: '/reports/{report_id}/email',
  response: QueuedReportEmail,
  example: {
    body: {
      to: ['ana.silva@example.com'],
      subject: 'Inspection {inspection.number}: {inspection.name}',
      body: 'Dear {client.name},\n\nplease find the report attached.',
    },
  },
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  emails.create(caller, params.report_id, body),
);
