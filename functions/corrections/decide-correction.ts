import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction } from '../../shared/schemas/inspections/correction.ts';
import { Decision } from '../../shared/schemas/inspections/inspection.ts';

const DECISIONS = {
  approve: corrections.approve,
  request_changes: corrections.requestChanges,
  reject: corrections.reject,
} as const;

export const operation = defineOperation({
  id: 'decideCorrection',
  method: 'POST',
  surface: 'app',
  path: '/inspections/{inspection_id}/corrections/{correction_id}/decision',
  summary: 'Decide on a correction',
  description:
    'Approves the correction, requests changes or rejects it, as the operations of these names describe it. A template family can let only people decide who have signed in (`signed_in_only`): they do so here.',
  access: 'write',
  roles: ['admin', 'approver'],
  params: z.strictObject({ inspection_id: Uuid, correction_id: Uuid }),
  body: Decision,
  guarded: true,
  success: 200,
  response: Correction,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  DECISIONS[body.decision](caller, { ...params, ...body, expectedVersion }),
);
