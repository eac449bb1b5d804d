import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { repliedPayload } from '../../shared/reports/preview-payload.ts';
import { readReportMaterial } from '../../shared/reports/rows/report-material.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { ReportPayload } from '../../shared/schemas/reports/report-payload.ts';
import { RequestedLanguage } from '../../shared/schemas/reports/report.ts';
import { requestedLayout } from '../../shared/templates/report-layouts.ts';

export const operation = defineOperation({
  id: 'getReportPayload',
  method: 'GET',
  path: '/inspections/{inspection_id}/report-payload',
  summary: 'Get the data of a report',
  description:
    'The JSON that a report would be rendered from now. Nothing is stored. `409` if it is larger than 5 MB, the maximum ' +
    'of a reply.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: z.strictObject({
    layout_id: Uuid.optional().meta({
      description:
        "A report layout of the inspection's template family. Without it, the family's default layout applies; without " +
        'a default layout, the standard one.',
    }),
    language: RequestedLanguage.optional(),
  }),
  success: 200,
  response: ReportPayload,
  errors: [409],
  heavy: true,
});

export const handler = createHandler(operation, async ({ params, query, caller }) => {
  const { material } = await readReportMaterial(caller, params.inspection_id, (family) =>
    requestedLayout(caller, family, query.layout_id),
  );
  return repliedPayload(material, query.language ?? null);
});
