import * as z from 'zod';
import * as correctiveActions from '../../shared/db/corrective-actions/corrective-actions.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { CorrectiveAction, Verification } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'verifyCorrectiveAction',
  method: 'POST',
  path: '/corrective-actions/{ca_id}/verify',
  summary: 'Verify a corrective action',
  description:
    'From pending_verification to verified or, with `accepted: false`, back to in_progress; from any other status it is `409`. Where the organization’s `four_eyes_verification` is on, whoever completed it cannot accept it: `403`. Left at null that holds for people, not for API keys.',
  access: 'write',
  params: z.strictObject({ ca_id: Uuid }),
  body: Verification.prefault({}),
  guarded: true,
  success: 200,
  response: CorrectiveAction,
  errors: [409],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:PutItem', 'table:UpdateItem'],
  calls: 4,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  correctiveActions.verify(caller, params.ca_id, body, expectedVersion),
);
