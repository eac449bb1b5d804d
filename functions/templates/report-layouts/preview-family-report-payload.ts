import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { repliedPayload } from '../../../shared/reports/preview-payload.ts';
import { readPreviewMaterial } from '../../../shared/reports/rows/report-material.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import { ReportPreviewRequest } from '../../../shared/schemas/reports/report-preview.ts';

export const operation = defineOperation({
  id: 'previewFamilyReportPayload',
  method: 'POST',
  path: '/templates/families/{family_id}/report-preview-payload',
  summary: 'Preview the report payload of a template',
  description:
    'The exact JSON that the renderer would draw for a completed inspection with generated sample answers. The same content always has the same sample answers. Each repeat section has two instances, or one in a very large template. Nothing is stored, so a read-only key may call this. Refused with `409` for a payload of more than 5 MB.',
  access: 'read',
  params: z.strictObject({ family_id: Uuid }),
  body: ReportPreviewRequest,
  success: 200,
  response: ReportPayload,
  errors: [409],
  heavy: true,
  example: {
    body: { layout: { page_size: 'Letter', blocks: [{ kind: 'findings' }, { kind: 'sections' }] } },
  },
});

export const handler = createHandler(operation, async ({ params, body, caller }) =>
  repliedPayload(await readPreviewMaterial(caller, params.family_id, body), body.language),
);
