import * as z from 'zod';
import * as answers from '../../shared/db/answers/answers.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { AnswerBatch, AnswerBatchResults } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'saveAnswers',
  method: 'PUT',
  path: '/inspections/{inspection_id}/responses/batch',
  summary: 'Save many answers',
  description:
    'Every row that can be saved is, in its order, and each is told what became of it: `saved`, `unchanged` when the record holds this answer already or the `client_mutation_id` was saved before, `conflict` for another version or an inspection locked meanwhile, `invalid` for all else. Rows are saved in several steps, each only while the inspection is open; after a failure the same request is sent again. A `client_mutation_id` is remembered until 50 more have been saved on its record.',
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid }),
  body: AnswerBatch,
  success: 200,
  response: AnswerBatchResults,
  errors: [409],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:PutItem', 'table:UpdateItem', 'table:DeleteItem'],
  // Authentication, inspection and content, then for each 98 rows a read and a transaction, and one more read
  // where they have references. Documents and findings take room in a transaction, and each new finding a number.
  calls: 21,
});

export const handler = createHandler(operation, async ({ params, body, caller }) => ({
  results: await answers.replaceAll(caller, params.inspection_id, body.responses),
}));
