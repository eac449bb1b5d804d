import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/lists.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { CorrectiveAction, correctiveActionQuery } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'listCorrectiveActions',
  method: 'GET',
  path: '/inspections/{inspection_id}/corrective-actions',
  summary: 'List the corrective actions of an inspection',
  description: 'In the order of creation.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: correctiveActionQuery,
  success: 200,
  response: z.array(CorrectiveAction),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  correctiveActions.list(caller, params.inspection_id, query),
);
