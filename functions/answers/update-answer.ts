import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as answers from '../../shared/inspections/answers/save.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { AnswerChanges, AnswerRecord } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'updateAnswer',
  method: 'PATCH',
  path: '/inspections/{inspection_id}/responses',
  summary: 'Change parts of an answer',
  description:
    'Changes only what is sent, such as the note, and leaves the rest as it is at that moment, also when another device has just saved it. The whole answer is then checked and saved as by `PUT …/responses`, with the same consequences; like every save, this confirms a prefilled answer. When there is no answer yet, it is created with what is sent; `404` when nothing is sent.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: AnswerChanges,
  success: 200,
  response: AnswerRecord,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  answers.update(caller, params.inspection_id, body, expectedVersion),
);
