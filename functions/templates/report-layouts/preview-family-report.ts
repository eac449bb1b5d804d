import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { file } from '../../../shared/http/operation/responses.ts';
import { DRAWS_REPORTS } from '../../../shared/reports/pdf/runtime.ts';
import { previewReport } from '../../../shared/reports/preview.ts';
import { readPreviewMaterial } from '../../../shared/reports/rows/report-material.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { PreviewFormat, ReportPreviewRequest } from '../../../shared/schemas/reports/report-preview.ts';

export const operation = defineOperation({
  id: 'previewFamilyReport',
  method: 'POST',
  path: '/templates/families/{family_id}/report-preview',
  summary: 'Preview a report of a template',
  description:
    'Renders the payload of `report-preview-payload`: a completed inspection with generated sample answers. Nothing is stored, so a read-only key may call this. `503` when rendering is briefly unavailable or takes too long, `409` for a report of more than 3.5 MB.',
  access: 'read',
  params: z.strictObject({ family_id: Uuid }),
  query: z.strictObject({ format: PreviewFormat }),
  body: ReportPreviewRequest,
  success: 200,
  response: file('The report.', 'application/pdf', 'text/html; charset=utf-8'),
  errors: [409],
  heavy: true,
  memory: 1_769,
  ...DRAWS_REPORTS,
  example: {
    body: { layout: { page_size: 'Letter', blocks: [{ kind: 'findings' }, { kind: 'sections' }] } },
  },
});

export const handler = createHandler(operation, async ({ params, query, body, caller }) =>
  previewReport(
    caller,
    await readPreviewMaterial(caller, params.family_id, body),
    body.language,
    query.format,
  ),
);
