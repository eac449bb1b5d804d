import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction, CorrectionComment } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'approveCorrection',
  method: 'POST',
  path: '/inspections/{inspection_id}/corrections/{correction_id}/approve',
  summary: 'Approve a correction',
  description:
    'The correction takes effect, as `POST …/close` describes it. The inspection stays `completed`, with the times and signatures that it has; each signature says before which correction it was given. `409` unless the correction awaits approval. `403` as for the approval of an inspection: whoever has opened, changed or closed the correction has worked on it. The `four_eyes_verification` of the organization also refuses whoever opened or closed the correction (`403`). If the request is interrupted, send it again to complete it.',
  access: 'write',
  actsFor: ['admin', 'approver'],
  params: z.strictObject({ inspection_id: Uuid, correction_id: Uuid }),
  body: CorrectionComment.prefault({}),
  guarded: true,
  success: 200,
  response: Correction,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  corrections.approve(caller, { ...params, ...body, expectedVersion }),
);
