import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/corrective-actions.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Activity, NewComment } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'commentOnCorrectiveAction',
  method: 'POST',
  path: '/corrective-actions/{ca_id}/comments',
  summary: 'Comment on a corrective action',
  description: 'Returns the new entry of its activity. Refused with `409` when the inspection is archived.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ ca_id: Uuid }),
  body: NewComment,
  guarded: true,
  success: 201,
  response: Activity,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  correctiveActions.comment(caller, params.ca_id, body, expectedVersion),
);
