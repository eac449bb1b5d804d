import * as z from 'zod';
import * as inspections from '../../shared/db/inspections/inspections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteInspection',
  method: 'DELETE',
  path: '/inspections/{inspection_id}',
  summary: 'Delete an inspection',
  description:
    'Possible only while the inspection is scheduled, or in_progress without an answer; otherwise `409`. Archive it instead.',
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
  emits: ['inspection.deleted'],
  grants: ['table:GetItem', 'table:Query', 'table:PutItem', 'table:UpdateItem', 'table:DeleteItem'],
  // Four, and one for each corrective action and each report. This is for one of them.
  calls: 5,
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await inspections.remove(caller, params.inspection_id, expectedVersion);
});
