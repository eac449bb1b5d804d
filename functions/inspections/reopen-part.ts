import * as z from 'zod';
import * as inspections from '../../shared/db/inspections/inspections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'reopenPart',
  method: 'POST',
  path: '/inspections/{inspection_id}/participants/me/reopen',
  summary: 'Reopen your part of an inspection',
  description:
    'The caller’s submitted part is open again while the inspection is in progress; anything else is `409`. It never comes between the last part’s submission and the step that follows from it: of the two at once, one wins and the other is told so.',
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid }),
  success: 200,
  response: z.null(),
  errors: [409],
  grants: ['table:GetItem', 'table:UpdateItem', 'table:PutItem'],
  calls: 3,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  inspections.reopenPart(caller, params.inspection_id),
);
