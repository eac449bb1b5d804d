import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/lists.ts';
import { CorrectiveAction, myCorrectiveActionQuery } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'listMyCorrectiveActions',
  method: 'GET',
  path: '/corrective-actions/mine',
  summary: 'List the corrective actions assigned to you',
  description:
    'The actions of all inspections, in the order of creation. For an API key, those assigned to its service identity, or to the member for whom it acts.',
  access: 'read',
  people: ['admin', 'approver', 'inspector'],
  actsFor: ['admin', 'approver', 'inspector'],
  query: myCorrectiveActionQuery,
  success: 200,
  response: z.array(CorrectiveAction),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => correctiveActions.mine(caller, query));
