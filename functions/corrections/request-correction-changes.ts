import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction, RequestedChanges } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'requestCorrectionChanges',
  method: 'POST',
  path: '/inspections/{inspection_id}/corrections/{correction_id}/request-changes',
  summary: 'Request changes of a correction',
  description:
    'The correction is open again: its changes stay, and later changes are added to its revisions. `409` unless the correction awaits approval. `403` for an API key that decides for itself, unless the template family allowed this when the inspection was created.',
  access: 'write',
  actsFor: ['admin', 'approver'],
  params: z.strictObject({ inspection_id: Uuid, correction_id: Uuid }),
  body: RequestedChanges,
  guarded: true,
  success: 200,
  response: Correction,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  corrections.requestChanges(caller, { ...params, ...body, expectedVersion }),
);
