import * as z from 'zod';
import { answers } from '../../shared/db/answers.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { AnswerRecord, answerQuery } from '../../shared/schemas/answer.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'listAnswers',
  method: 'GET',
  path: '/inspections/{inspection_id}/responses',
  summary: 'List the answers of an inspection',
  description: 'Records that were cleared are among them.',
  access: 'read',
  params: z.strictObject({ inspection_id: Uuid }),
  query: answerQuery,
  success: 200,
  response: z.array(AnswerRecord),
  list: true,
  grants: ['table:GetItem', 'table:Query'],
  calls: 3,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  answers.list(caller, params.inspection_id, query),
);
