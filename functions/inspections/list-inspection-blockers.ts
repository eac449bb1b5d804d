import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { listBlockers } from '../../shared/inspections/blockers.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { InspectionBlockers } from '../../shared/schemas/inspections/blocker.ts';

export const operation = defineOperation({
  id: 'listInspectionBlockers',
  method: 'GET',
  path: '/inspections/{inspection_id}/blockers',
  summary: 'List what keeps an inspection from its next step',
  description:
    'What is missing before the next step, as a list for programs. While the inspection is in_progress, it is what `POST …/advance` of the caller would refuse with `409` (`inspection_blocked`): what their own part lacks while other parts are open, else what the whole inspection lacks. While a correction is open, it is what closing it would refuse. Otherwise the list is empty.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  success: 200,
  response: InspectionBlockers,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, caller }) =>
  listBlockers(caller, params.inspection_id),
);
