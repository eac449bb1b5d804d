import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { NewReportLayout, ReportLayout } from '../../../shared/schemas/templates/report-layout.ts';
import * as layouts from '../../../shared/templates/report-layouts.ts';

export const operation = defineOperation({
  id: 'createReportLayout',
  method: 'POST',
  path: '/templates/families/{family_id}/report-layouts',
  summary: 'Create a report layout',
  description:
    'Defines how reports of the family look and what they contain. Whatever is left out is as in the standard layout, which reports use when the family has no default layout. A family can have at most 20 layouts.',
  access: 'write',
  params: z.strictObject({ family_id: Uuid }),
  body: NewReportLayout,
  guarded: true,
  success: 201,
  location: '/templates/families/{family_id}/report-layouts/{layout_id}',
  response: ReportLayout,
  example: {
    body: {
      name: 'For the client',
      is_default: true,
      page_size: 'Letter',
      theme: { primary_color: '#8a1c1c' },
      blocks: [
        { kind: 'summary' },
        { kind: 'findings', options: { photo_columns: 2 } },
        { kind: 'sections' },
        { kind: 'text', options: { title: 'Terms', text: 'Valid for one year.' } },
        { kind: 'signatures' },
      ],
      include: { unanswered: false },
      email_template: { subject: 'Your inspection report' },
    },
  },
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  layouts.create(caller, params.family_id, body, expectedVersion),
);
