import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'discardCorrection',
  method: 'POST',
  path: '/inspections/{inspection_id}/corrections/{correction_id}/discard',
  summary: 'Discard a correction',
  description:
    'Possible while the correction is open or awaits approval. Every answer and every field of the setup gets the value back that it had before the correction. Documents, client accounts and locations that were deleted meanwhile do not come back. Findings that the correction has added are deleted, with their corrective actions. The revisions are kept, and each of these changes is one more. Once discarding has begun, the correction accepts no changes and cannot be closed. `409` when the correction has ended. Many changes are taken back in several steps; if the request is interrupted, send it again to complete it.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid, correction_id: Uuid }),
  guarded: true,
  success: 200,
  response: Correction,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  corrections.discard(caller, params.inspection_id, params.correction_id, expectedVersion),
);
