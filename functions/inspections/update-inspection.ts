import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/update.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { Inspection, InspectionChanges } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'updateInspection',
  method: 'PATCH',
  path: '/inspections/{inspection_id}',
  summary: 'Update an inspection',
  description: `${PATCH_DESCRIPTION} \`participants\` replaces the whole list; participants who stay keep the status of their part. \`start_answers\` changes only the keys that are present. When they hide or show fields, the findings of these fields change as in \`PUT …/responses\`. Refused with \`409\` while the inspection is pending_approval, pending_sign_off, completed or archived. In an open correction, everything but \`approver_id\` can be changed, and each change is a revision; the parts of participants who are added then count as submitted. \`external_ref\` can change at any time, and is no part of a correction.`,
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: InspectionChanges,
  success: 200,
  response: Inspection,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  inspections.update(caller, params.inspection_id, body, expectedVersion),
);
