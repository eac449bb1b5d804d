import * as z from 'zod';
import { readReportSources } from '../../shared/db/report-sources.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { buildPayload } from '../../shared/reports/build.ts';
import { ReportPayload } from '../../shared/reports/payload.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'getReportPayload',
  method: 'GET',
  path: '/inspections/{inspection_id}/report-payload',
  summary: 'Get what a report would show',
  description: 'The exact JSON that the renderer would draw now. Nothing is stored.',
  access: 'read',
  params: z.strictObject({ inspection_id: Uuid }),
  success: 200,
  response: ReportPayload,
  grants: ['table:BatchGetItem', 'table:GetItem', 'table:Query'],
  calls: 5,
});

export const handler = createHandler(operation, async ({ params, caller }) => {
  const { sources } = await readReportSources(caller, params.inspection_id);
  return buildPayload(sources, { id: null, version: 1, generated_at: new Date().toISOString() });
});
