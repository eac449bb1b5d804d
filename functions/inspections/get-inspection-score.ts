import * as z from 'zod';
import { explainInspectionScore } from '../../shared/db/inspections/scores.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { ScoreExplanation } from '../../shared/schemas/inspections/score.ts';

export const operation = defineOperation({
  id: 'getInspectionScore',
  method: 'GET',
  path: '/inspections/{inspection_id}/score',
  summary: 'Explain the score of an inspection',
  description:
    'What each section and each field contributes. While the inspection is open this is the score that its answers would have now; handed in, it is the one that was frozen with them. Where the template does not score, `score` is null and the lists are empty. Some 20,000 answers make more than the 6 MB of a reply that is not compressed: `409` without gzip.',
  access: 'read',
  params: z.strictObject({ inspection_id: Uuid }),
  success: 200,
  response: ScoreExplanation,
  errors: [409],
  grants: ['table:GetItem', 'table:Query'],
  calls: 4,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  explainInspectionScore(caller, params.inspection_id),
);
