import * as z from 'zod';
import * as inspections from '../../shared/db/inspections/inspections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Inspection, InspectionChanges } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'updateInspection',
  method: 'PATCH',
  path: '/inspections/{inspection_id}',
  summary: 'Update an inspection',
  description: `${PATCH_DESCRIPTION} \`participants\` is replaced whole; who stays keeps the state of their part. Of \`start_answers\` only the keys present are written. While the inspection awaits approval or sign-off, is completed or archived, it is locked, and any change is \`409\`; but in an open correction \`start_answers\` alone can be changed.`,
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid }),
  body: InspectionChanges,
  success: 200,
  response: Inspection,
  errors: [409],
  grants: [
    'table:GetItem',
    'table:BatchGetItem',
    'table:UpdateItem',
    'table:PutItem',
    'table:DeleteItem',
    'table:ConditionCheckItem',
  ],
  calls: 7,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  inspections.update(caller, params.inspection_id, body, expectedVersion),
);
