import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import * as layouts from '../../../shared/templates/report-layouts.ts';

export const operation = defineOperation({
  id: 'deleteReportLayout',
  method: 'DELETE',
  path: '/templates/families/{family_id}/report-layouts/{layout_id}',
  summary: 'Delete a report layout',
  description:
    "Reports that were rendered in the layout keep their files. Reports that are not rendered yet use the family's default layout or, without one, the standard layout. After its default layout is deleted, a family has no default layout.",
  access: 'write',
  params: z.strictObject({ family_id: Uuid, layout_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await layouts.remove(caller, params.family_id, params.layout_id, expectedVersion);
});
