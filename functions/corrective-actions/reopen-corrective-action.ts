import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/corrective-actions.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Reopening } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'reopenCorrectiveAction',
  method: 'POST',
  path: '/corrective-actions/{ca_id}/reopen',
  summary: 'Reopen a corrective action',
  description:
    'Moves the action from pending_verification, verified or cancelled back to open, and clears its completion and verification. Its activity still shows them.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ ca_id: Uuid }),
  body: Reopening,
  guarded: true,
  success: 200,
  response: z.null(),
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  correctiveActions.reopen(caller, params.ca_id, body.reason, expectedVersion),
);
