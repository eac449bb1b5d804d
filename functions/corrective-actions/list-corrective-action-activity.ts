import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/lists.ts';
import { listQuery, Uuid } from '../../shared/schemas/common.ts';
import { Activity } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'listCorrectiveActionActivity',
  method: 'GET',
  path: '/corrective-actions/{ca_id}/activity',
  summary: 'List the activity of a corrective action',
  description: 'The oldest entry first.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ ca_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(Activity),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  correctiveActions.listActivity(caller, params.ca_id, query),
);
