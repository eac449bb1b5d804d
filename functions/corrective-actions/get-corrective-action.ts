import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/lists.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'getCorrectiveAction',
  method: 'GET',
  path: '/corrective-actions/{ca_id}',
  summary: 'Get a corrective action',
  description:
    'The action with its contact and what became of it. Its history is `GET …/activity`. Signed-in people of other roles than admin see those that are assigned to them.',
  access: 'read',
  people: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ ca_id: Uuid }),
  success: 200,
  response: CorrectiveAction,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  correctiveActions.get(caller, params.ca_id),
);
