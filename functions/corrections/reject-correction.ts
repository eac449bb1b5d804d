import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction, CorrectionComment } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'rejectCorrection',
  method: 'POST',
  path: '/inspections/{inspection_id}/corrections/{correction_id}/reject',
  summary: 'Reject a correction',
  description:
    'The changes of the correction are taken back, as when it is discarded, and the inspection stays as it was before. `409` unless the correction awaits approval. `403` for an API key that decides for itself, unless the template family allowed this when the inspection was created. If the request is interrupted, send it again to complete it.',
  access: 'write',
  actsFor: ['admin', 'approver'],
  params: z.strictObject({ inspection_id: Uuid, correction_id: Uuid }),
  body: CorrectionComment.prefault({}),
  guarded: true,
  success: 200,
  response: Correction,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  corrections.reject(caller, { ...params, ...body, expectedVersion }),
);
