import * as z from 'zod';
import * as corrections from '../../shared/db/corrections/corrections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'discardCorrection',
  method: 'POST',
  path: '/inspections/{inspection_id}/corrections/{correction_id}/discard',
  summary: 'Discard a correction',
  description:
    'Every answer gets the value that it had before the correction, without documents that were deleted since. The revisions are kept. Once discarding has begun, the correction accepts no changes and cannot be closed. `409` when the correction has ended. Many changes are taken back in several steps; if the request is interrupted, send it again to complete it.',
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid, correction_id: Uuid }),
  guarded: true,
  success: 200,
  response: Correction,
  emits: ['inspection.updated', 'inspection.answers_saved'],
  grants: [
    'table:GetItem',
    'table:BatchGetItem',
    'table:Query',
    'table:PutItem',
    'table:UpdateItem',
    'table:DeleteItem',
    'table:ConditionCheckItem',
  ],
  calls: 16,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  corrections.discard(caller, params.inspection_id, params.correction_id, expectedVersion),
);
