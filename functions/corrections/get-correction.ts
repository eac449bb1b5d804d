import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'getCorrection',
  method: 'GET',
  path: '/inspections/{inspection_id}/corrections/{correction_id}',
  summary: 'Get a correction',
  description: '`revisions_count` is the number of changes that were saved in it so far.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid, correction_id: Uuid }),
  success: 200,
  response: Correction,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  corrections.get(caller, params.inspection_id, params.correction_id),
);
