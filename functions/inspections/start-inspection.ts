import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/steps.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Inspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'startInspection',
  method: 'POST',
  path: '/inspections/{inspection_id}/start',
  summary: 'Start an inspection',
  description: 'Moves the inspection from scheduled to in_progress. Refused with `409` in any other status.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  guarded: true,
  success: 200,
  response: Inspection,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  inspections.start(caller, params.inspection_id, expectedVersion),
);
