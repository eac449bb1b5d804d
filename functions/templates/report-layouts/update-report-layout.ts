import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../../shared/schemas/common.ts';
import { ReportLayout, ReportLayoutChanges } from '../../../shared/schemas/templates/report-layout.ts';
import * as layouts from '../../../shared/templates/report-layouts.ts';

export const operation = defineOperation({
  id: 'updateReportLayout',
  method: 'PATCH',
  path: '/templates/families/{family_id}/report-layouts/{layout_id}',
  summary: 'Update a report layout',
  description: `${PATCH_DESCRIPTION} Reports that were rendered before do not change.`,
  access: 'write',
  params: z.strictObject({ family_id: Uuid, layout_id: Uuid }),
  body: ReportLayoutChanges,
  success: 200,
  response: ReportLayout,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  layouts.update(caller, params.family_id, params.layout_id, body, expectedVersion),
);
