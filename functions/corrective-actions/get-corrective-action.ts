import * as z from 'zod';
import * as correctiveActions from '../../shared/db/corrective-actions/lists.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'getCorrectiveAction',
  method: 'GET',
  path: '/corrective-actions/{ca_id}',
  summary: 'Get a corrective action',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ ca_id: Uuid }),
  success: 200,
  response: CorrectiveAction,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  correctiveActions.get(caller, params.ca_id),
);
