import * as z from 'zod';
import * as corrections from '../../shared/db/corrections/corrections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'closeCorrection',
  method: 'POST',
  path: '/inspections/{inspection_id}/corrections/{correction_id}/close',
  summary: 'Close a correction',
  description:
    'The corrected answers take effect: findings whose answer no longer fails get `trigger_cleared`, answers that fail now get theirs, the score is found anew and reports become stale. With `correction_mode` `reapprove` the inspection goes to `pending_approval`. `409` for one that has ended, or with what is required and missing. From its first step on nothing more is saved in it, and it cannot be discarded; what is interrupted goes on when it is called again.',
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid, correction_id: Uuid }),
  success: 200,
  response: Correction,
  errors: [409],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:Query', 'table:PutItem', 'table:UpdateItem'],
  calls: 16,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  corrections.close(caller, params.inspection_id, params.correction_id),
);
