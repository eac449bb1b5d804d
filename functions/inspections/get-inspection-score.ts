import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { explainInspectionScore } from '../../shared/inspections/scores.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { ScoreExplanation } from '../../shared/schemas/inspections/score.ts';

export const operation = defineOperation({
  id: 'getInspectionScore',
  method: 'GET',
  path: '/inspections/{inspection_id}/score',
  summary: 'Explain the score of an inspection',
  description:
    'What each section and each field contributes to the score. Before the inspection is submitted, the score is computed from the current answers; after that, it is frozen. When the template has no scoring, `score` is null and the lists are empty. With about 20,000 answers the reply is larger than 6 MB, and is `409` for clients that do not accept gzip.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  success: 200,
  response: ScoreExplanation,
  errors: [409],
});

export const handler = createHandler(operation, ({ params, caller }) =>
  explainInspectionScore(caller, params.inspection_id),
);
