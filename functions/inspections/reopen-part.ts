import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/steps.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'reopenPart',
  method: 'POST',
  path: '/inspections/{inspection_id}/participants/me/reopen',
  summary: 'Reopen your part of an inspection',
  description:
    'Reopens the part that the caller submitted. Refused with `409` unless the inspection is in_progress and the part is submitted. If someone else submits the last part at the same time, only one of the two requests succeeds.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  guarded: true,
  success: 200,
  response: z.null(),
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  inspections.reopenPart(caller, params.inspection_id, expectedVersion),
);
