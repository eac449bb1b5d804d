import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as answers from '../../shared/inspections/answers/save.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { AnswerBatch, AnswerBatchResults } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'saveAnswers',
  method: 'PUT',
  path: '/inspections/{inspection_id}/responses/batch',
  summary: 'Save many answers',
  description:
    'Saves every answer that can be saved: in the order of the form, and several answers to one field in the order of the request. New findings are numbered in that order. The result of each one is `saved`; `unchanged` when the record has this answer already, or when the `client_mutation_id` was saved before; `superseded` when the stored answer was given later, by `client_answered_at`; `conflict` for another version, or when the inspection was locked meanwhile; `invalid` for any other problem, and for a row that is not formed as described: it fails alone. The request is refused as a whole, with `422`, only when `responses` is no list or has too many rows. Many answers are saved in several steps, each only while the inspection accepts answers; after a failure, send the same request again. A record remembers its last 50 `client_mutation_id`s.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: AnswerBatch,
  rows: 'responses',
  success: 200,
  response: AnswerBatchResults,
  errors: [409],
});

export const handler = createHandler(operation, async ({ params, body, caller }) => ({
  results: await answers.replaceAll(caller, params.inspection_id, body.responses),
}));
