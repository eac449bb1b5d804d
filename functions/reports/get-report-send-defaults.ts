import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as emails from '../../shared/reports/rows/emails.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { ReportSendDefaults } from '../../shared/schemas/reports/report-email.ts';

export const operation = defineOperation({
  id: 'getReportSendDefaults',
  method: 'GET',
  path: '/inspections/{inspection_id}/report/send-defaults',
  summary: 'Get the defaults of a report mail',
  description:
    'The mail that `POST …/report/send` sends when the request says nothing else. It goes to the contact of the ' +
    'client account, with copies to those whom the template family notifies of completed inspections. Its texts are ' +
    'those of the layout, with all placeholders filled.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: z.strictObject({
    layout_id: Uuid.optional().meta({
      description:
        "A report layout of the inspection's template family. Without it, the family's default layout applies.",
    }),
  }),
  success: 200,
  response: ReportSendDefaults,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  emails.sendDefaults(caller, params.inspection_id, query.layout_id ?? null),
);
