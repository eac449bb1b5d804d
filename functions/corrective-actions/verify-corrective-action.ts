import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/corrective-actions.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { CorrectiveAction, Verification } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'verifyCorrectiveAction',
  method: 'POST',
  path: '/corrective-actions/{ca_id}/verify',
  summary: 'Verify a corrective action',
  description:
    'Moves the action from pending_verification to verified or, with `accepted: false`, back to in_progress; from any other status `409`. When the organization’s `four_eyes_verification` is true, nobody can accept an action that they have completed or worked on in another way: `403`. Starting it, and attaching or removing a file, is work as well. An API key and the person who made it count as one, whether the key acts for itself or for a member. When `four_eyes_verification` is null, this applies to people only. Anyone can accept what the contact completed.\n\nWith `resolve_finding`, the finding is resolved in the same step.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ ca_id: Uuid }),
  body: Verification.prefault({}),
  guarded: true,
  success: 200,
  response: CorrectiveAction,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  correctiveActions.verify(caller, params.ca_id, body, expectedVersion),
);
