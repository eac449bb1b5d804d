import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as answers from '../../shared/inspections/answers/save.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { AnswerBatchResults, Confirmation } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'confirmAnswers',
  method: 'PUT',
  path: '/inspections/{inspection_id}/responses/confirm',
  summary: 'Confirm prefilled answers',
  description:
    'Confirms answers that were taken over from an earlier inspection and are still as they were then: each is saved as it stands, as if it were sent to `PUT …/responses/batch`, with the findings that follow from it. The results are those of that operation, in the order of the form. `conflict`: somebody has changed the answer meanwhile. `invalid`: the answer cannot be confirmed, for example because it names a member who is gone; it stays a suggestion.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: Confirmation,
  success: 200,
  response: AnswerBatchResults,
  errors: [409],
});

export const handler = createHandler(operation, async ({ params, body, caller }) => ({
  results: await answers.confirm(caller, params.inspection_id, body),
}));
