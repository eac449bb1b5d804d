import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { file } from '../../shared/http/operation/responses.ts';
import { DRAWS_REPORTS } from '../../shared/reports/pdf/runtime.ts';
import { previewReport } from '../../shared/reports/preview.ts';
import { readReportMaterial } from '../../shared/reports/rows/report-material.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { PreviewFormat } from '../../shared/schemas/reports/report-preview.ts';
import { RequestedLanguage } from '../../shared/schemas/reports/report.ts';
import { requestedLayout } from '../../shared/templates/report-layouts.ts';

export const operation = defineOperation({
  id: 'getReportPreview',
  method: 'GET',
  path: '/inspections/{inspection_id}/report-preview',
  summary: 'Preview a report of an inspection',
  description:
    'Renders a report of the inspection in its present state, whatever its status, without storing it. Photos are ' +
    'smaller than in a stored report; if there are very many, the last ones are left out. `409` if the preview is larger ' +
    'than 3.5 MB, the maximum. `503` if rendering fails or takes too long. `POST /inspections/{inspection_id}/reports` ' +
    'has no such limits.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: z.strictObject({
    format: PreviewFormat,
    layout_id: Uuid.optional().meta({
      description:
        "A report layout of the inspection's template family. Without it, the family's default layout applies; without " +
        'a default layout, the standard one.',
    }),
    language: RequestedLanguage.optional(),
  }),
  success: 200,
  response: file('The report.', 'application/pdf', 'text/html; charset=utf-8'),
  errors: [409],
  heavy: true,
  memory: 1_769,
  ...DRAWS_REPORTS,
});

export const handler = createHandler(operation, async ({ params, query, caller }) => {
  const { material } = await readReportMaterial(caller, params.inspection_id, (family) =>
    requestedLayout(caller, family, query.layout_id),
  );
  return previewReport(caller, material, query.language ?? null, query.format);
});
