import * as z from 'zod';
import * as correctiveActions from '../../shared/db/corrective-actions/corrective-actions.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { CorrectiveAction, myCorrectiveActionQuery } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'listMyCorrectiveActions',
  method: 'GET',
  path: '/corrective-actions/mine',
  summary: 'List the corrective actions given to the caller',
  description: 'Of all inspections, in creation order. With an API key, those given to its service identity.',
  access: 'read',
  query: myCorrectiveActionQuery,
  success: 200,
  response: z.array(CorrectiveAction),
  list: true,
  grants: ['table:Query', 'table:BatchGetItem'],
  calls: 3,
});

export const handler = createHandler(operation, ({ query, caller }) => correctiveActions.mine(caller, query));
