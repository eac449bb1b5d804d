import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/update.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Inspection, OwnInspectionChanges } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'updateOwnInspection',
  method: 'PATCH',
  path: '/inspections/{inspection_id}/self',
  summary: 'Update an inspection you created for yourself',
  description: `${PATCH_DESCRIPTION} Refused with \`403\` for any other inspection, and with \`409\` for a locked one, as the update of an inspection is.`,
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: OwnInspectionChanges,
  success: 200,
  response: Inspection,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  inspections.updateOwn(caller, params.inspection_id, body, expectedVersion),
);
