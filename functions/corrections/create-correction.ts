import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction, NewCorrection } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'createCorrection',
  method: 'POST',
  path: '/inspections/{inspection_id}/corrections',
  summary: 'Open a correction',
  description:
    'A completed inspection can have one active correction at a time, open or awaiting approval. While it is open, answers, start answers and the setup (name, client account, location, participants, `scheduled_for`, `due_at`) can be changed, and findings can be added. The inspection stays `completed` with the times, signatures and score that it has. Each saved change is a revision. `409` when the inspection is not completed, is being corrected already, or has the `correction_mode` `locked`; the error names its state.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: NewCorrection,
  guarded: true,
  success: 201,
  location: '/inspections/{inspection_id}/corrections/{correction_id}',
  response: Correction,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  corrections.open(caller, params.inspection_id, body, expectedVersion),
);
