import * as z from 'zod';
import { readPreviewSources } from '../../../shared/db/reports/preview-sources.ts';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation.ts';
import { repliedPayload } from '../../../shared/reports/preview-payload.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { ReportPayload } from '../../../shared/schemas/reports/report-payload.ts';
import { ReportPreviewRequest } from '../../../shared/schemas/reports/report-preview.ts';

export const operation = defineOperation({
  id: 'previewFamilyReportPayload',
  method: 'POST',
  path: '/templates/families/{family_id}/report-preview-payload',
  summary: 'Get what a report of a template would show',
  description:
    'The exact JSON that the renderer would draw of a completed inspection, over generated sample answers: the same ones for the same content. Of each repeat section two instances are shown, or one where they would be very many. Nothing is stored, so a read-only key may ask for it. `409` for more than the 5 MB that a reply may have.',
  access: 'read',
  params: z.strictObject({ family_id: Uuid }),
  body: ReportPreviewRequest,
  success: 200,
  response: ReportPayload,
  errors: [409],
  grants: ['table:GetItem', 'table:BatchGetItem'],
  calls: 5,
  example: {
    body: { layout: { page_size: 'Letter', blocks: [{ kind: 'findings' }, { kind: 'sections' }] } },
  },
});

export const handler = createHandler(operation, async ({ params, body, caller }) =>
  repliedPayload(await readPreviewSources(caller, params.family_id, body)),
);
