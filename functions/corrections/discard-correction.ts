import * as z from 'zod';
import * as corrections from '../../shared/db/corrections/corrections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'discardCorrection',
  method: 'POST',
  path: '/inspections/{inspection_id}/corrections/{correction_id}/discard',
  summary: 'Discard a correction',
  description:
    'Every answer is again what it was before the correction, but for documents that have been deleted since; its revisions are kept. From the first moment on nothing more is saved in it. `409` for one that has ended. One of many changes takes several steps; what is interrupted goes on when it is called again.',
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid, correction_id: Uuid }),
  success: 200,
  response: Correction,
  errors: [409],
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

export const handler = createHandler(operation, ({ params, caller }) =>
  corrections.discard(caller, params.inspection_id, params.correction_id),
);
