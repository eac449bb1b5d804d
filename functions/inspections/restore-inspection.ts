import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/steps.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Inspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'restoreInspection',
  method: 'POST',
  path: '/inspections/{inspection_id}/restore',
  summary: 'Restore an inspection',
  description:
    'Moves the inspection from archived back to the status in `archived_from`. Refused with `409` in any other status, and when its asset is decommissioned and the inspection would go on: put the asset into service again first. A completed inspection is restored in any case.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  guarded: true,
  success: 200,
  response: Inspection,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  inspections.restore(caller, params.inspection_id, expectedVersion),
);
