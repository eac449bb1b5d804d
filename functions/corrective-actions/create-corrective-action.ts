import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/corrective-actions.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { CorrectiveAction, NewCorrectiveAction } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'createCorrectiveAction',
  method: 'POST',
  path: '/findings/{finding_id}/corrective-actions',
  summary: 'Create a corrective action for a finding',
  description:
    'Also possible after the inspection is completed. Refused with `409` when it is archived, or when the finding is resolved. The assignee must be an active member; the service identity of an API key is one too.\n\nWith `completed_on_site`, one request records what the inspector has put right on the spot: the action is created as verified, and the finding is resolved.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ finding_id: Uuid }),
  body: NewCorrectiveAction,
  guarded: true,
  success: 201,
  location: '/corrective-actions/{ca_id}',
  response: CorrectiveAction,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  correctiveActions.create(caller, params.finding_id, body, expectedVersion),
);
