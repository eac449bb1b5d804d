import * as z from 'zod';
import { readReportSources } from '../../shared/db/reports/report-sources.ts';
import * as layouts from '../../shared/db/templates/report-layouts.ts';
import { file } from '../../shared/http/file.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { FONT_ASSETS } from '../../shared/reports/fonts.ts';
import { previewReport } from '../../shared/reports/preview.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { PreviewFormat } from '../../shared/schemas/reports/report-preview.ts';

export const operation = defineOperation({
  id: 'getReportPreview',
  method: 'GET',
  path: '/inspections/{inspection_id}/report-preview',
  summary: 'Preview a report of an inspection',
  description:
    'The inspection as it stands, whatever its status, drawn as a report that is not stored. Photos are smaller than in a report, and the last of very many are left out. `503` where rendering is briefly unavailable or takes too long, `409` for a report larger than the 3.5 MB that a preview may have; `POST …/reports` has no such limits.',
  access: 'read',
  params: z.strictObject({ inspection_id: Uuid }),
  query: z.strictObject({
    format: PreviewFormat,
    layout_id: Uuid.optional().meta({
      description: "A layout of the inspection's template family; without it, the family's default one.",
    }),
  }),
  success: 200,
  response: file('The report.', 'application/pdf', 'text/html; charset=utf-8'),
  errors: [400, 409],
  grants: ['table:BatchGetItem', 'table:GetItem', 'table:Query', 'bucket:GetObject'],
  calls: 6,
  memory: 1_769,
  native: ['sharp'],
  assets: FONT_ASSETS,
});

export const handler = createHandler(operation, async ({ params, query, caller }) => {
  const { sources } = await readReportSources(caller, params.inspection_id, (family) =>
    layouts.contentAsked(caller, family, query.layout_id),
  );
  return previewReport(caller, sources, query.format);
});
