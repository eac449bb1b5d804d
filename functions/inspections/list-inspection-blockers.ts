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
    'All for which `POST …/advance` of the caller would answer `409` with `inspection_blocked`, for programs: while the inspection is in_progress, what is missing in the part that the caller would submit, or in the whole inspection when it is the last part or the caller has none. While a correction is open, that for which its closing would be refused. Otherwise the list is empty.',
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
