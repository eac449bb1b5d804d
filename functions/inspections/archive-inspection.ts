import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/steps.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Inspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'archiveInspection',
  method: 'POST',
  path: '/inspections/{inspection_id}/archive',
  summary: 'Archive an inspection',
  description:
    'Possible in any status, which is kept in `archived_from`. Refused with `409` when the inspection is already archived.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  guarded: true,
  success: 200,
  response: Inspection,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  inspections.archive(caller, params.inspection_id, expectedVersion),
);
