import * as z from 'zod';
import * as corrections from '../../shared/db/corrections/corrections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction, NewCorrection } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'createCorrection',
  method: 'POST',
  path: '/inspections/{inspection_id}/corrections',
  summary: 'Open a correction',
  description:
    'A completed inspection is corrected in sessions, one at a time: while one is open, answers and start answers can be changed, each saved change is a revision, and the status stays `completed`. `409` names the state of an inspection that is not completed, is being corrected, or whose `correction_mode` is `locked`.',
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid }),
  body: NewCorrection,
  guarded: true,
  success: 201,
  response: Correction,
  errors: [409],
  grants: ['table:GetItem', 'table:PutItem', 'table:UpdateItem'],
  calls: 3,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  corrections.open(caller, params.inspection_id, body, expectedVersion),
);
