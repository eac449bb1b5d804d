import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { ReportLayout } from '../../../shared/schemas/templates/report-layout.ts';
import * as layouts from '../../../shared/templates/report-layouts.ts';

export const operation = defineOperation({
  id: 'getReportLayout',
  method: 'GET',
  path: '/templates/families/{family_id}/report-layouts/{layout_id}',
  summary: 'Get a report layout',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ family_id: Uuid, layout_id: Uuid }),
  success: 200,
  response: ReportLayout,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  layouts.get(caller, params.family_id, params.layout_id),
);
