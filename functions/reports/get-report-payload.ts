import * as z from 'zod';
import { readReportSources } from '../../shared/db/reports/report-sources.ts';
import * as layouts from '../../shared/db/templates/report-layouts.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { repliedPayload } from '../../shared/reports/preview-payload.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { ReportPayload } from '../../shared/schemas/reports/report-payload.ts';

export const operation = defineOperation({
  id: 'getReportPayload',
  method: 'GET',
  path: '/inspections/{inspection_id}/report-payload',
  summary: 'Get what a report would show',
  description:
    'The exact JSON that the renderer would draw now. Nothing is stored. `409` for more than the 5 MB that a reply may have.',
  access: 'read',
  params: z.strictObject({ inspection_id: Uuid }),
  query: z.strictObject({
    layout_id: Uuid.optional().meta({
      description: "A layout of the inspection's template family; without it, the family's default one.",
    }),
  }),
  success: 200,
  response: ReportPayload,
  errors: [400, 409],
  grants: ['table:BatchGetItem', 'table:GetItem', 'table:Query'],
  calls: 6,
});

export const handler = createHandler(operation, async ({ params, query, caller }) => {
  const { sources } = await readReportSources(caller, params.inspection_id, (family) =>
    layouts.contentAsked(caller, family, query.layout_id),
  );
  return repliedPayload(sources);
});
