import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as findings from '../../shared/inspections/findings/findings.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteFinding',
  method: 'DELETE',
  path: '/findings/{finding_id}',
  summary: 'Delete a finding',
  description:
    'Also deletes its corrective actions. Refused with `409` while one of them is open, and when the inspection is archived.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ finding_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  findings.remove(caller, params.finding_id, expectedVersion),
);
