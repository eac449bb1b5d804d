import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/steps.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Decision, Inspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'decideInspection',
  method: 'POST',
  surface: 'app',
  path: '/inspections/{inspection_id}/decision',
  summary: 'Decide on an inspection',
  description:
    'Approves the inspection, requests changes or rejects it, as `POST /inspections/{inspection_id}/advance` describes it. A template family can let only people decide who have signed in (`signed_in_only`): they do so here.',
  access: 'write',
  roles: ['admin', 'approver'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: Decision,
  guarded: true,
  success: 200,
  response: Inspection,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  inspections.advance(caller, params.inspection_id, body, expectedVersion),
);
