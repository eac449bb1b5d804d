import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/lists.ts';
import { allCorrectiveActionsQuery, ListedCorrectiveAction } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'listAllCorrectiveActions',
  method: 'GET',
  path: '/corrective-actions',
  summary: 'List corrective actions',
  description:
    'The actions of all inspections, newest first, each with the client account, location and template family of its inspection. An action is listed when it matches all filters. Filters by place, question, status, priority, assignee, contact, tag and metadata are fast, because they have an index. `q` and the filters by time have none: used alone, they search the list until the page is full. With a filter by place, template family, status or priority, the list can be a moment behind: an action that has just changed to the value may be missing, but one that has another value is never listed.',
  access: 'read',
  people: ['admin'],
  query: allCorrectiveActionsQuery,
  success: 200,
  response: z.array(ListedCorrectiveAction),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) =>
  correctiveActions.listAll(caller, query),
);
