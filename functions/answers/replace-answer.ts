import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as answers from '../../shared/inspections/answers/save.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { AnswerRecord, NewAnswer } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'replaceAnswer',
  method: 'PUT',
  path: '/inspections/{inspection_id}/responses',
  summary: 'Save an answer',
  description:
    'There is one record for each field, in each instance of the repeat sections around it. The whole answer is replaced: a property that is left out is emptied. Saving the answer that is stored already does not change its version. An answer that was given earlier than the stored one, by `client_answered_at`, does not replace it: the reply is the stored record, and the late answer is added to its history. `is_active` is false while conditions hide the field. `score` and `max_score` are those of the answer alone; `GET /inspections/{inspection_id}/score` explains how it counts in the whole. An answer can show, hide or require other fields, and change calculated ones: list the answers to see them.\n\nWhen the inspection is completed, answers are accepted only while a correction is open. Each change is then a revision of the correction.\n\nIf the field says so, a failed answer creates a finding, and an answer that no longer fails removes it. A finding that somebody has worked on is kept, with `trigger_cleared`. The answer to a hidden field counts for nothing: when an answer hides a field, the finding of that field is removed or marked in the same way, with its action. When the field is shown again and its answer fails, the finding is created again, or the mark is taken away. One save can add or remove at most 95 documents.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: NewAnswer,
  success: 200,
  response: AnswerRecord,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  answers.replace(caller, params.inspection_id, body, expectedVersion),
);
