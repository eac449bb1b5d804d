import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/create.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Inspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'duplicateInspection',
  method: 'POST',
  path: '/inspections/{inspection_id}/duplicate',
  summary: 'Duplicate an inspection',
  description:
    'Copies the name, the template version with its requirements, the client account and the location. The copy has the status `scheduled`. It has no participants, dates, start answers, answers, findings or score. The present settings of the template family say whether API keys may decide on it. Refused with `409` when the template family is archived. No webhook event is sent.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  success: 201,
  location: '/inspections/{inspection_id}',
  response: Inspection,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  inspections.duplicate(caller, params.inspection_id),
);
