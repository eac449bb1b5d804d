import * as z from 'zod';
import * as answers from '../../shared/db/answers/answers.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { AnswerRecord, answerQuery } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'listAnswers',
  method: 'GET',
  path: '/inspections/{inspection_id}/responses',
  summary: 'List the answers of an inspection',
  description:
    'Records that were cleared are among them, and so are those of calculated fields that have a result: these are found as they are read, and are as old as the last change of any answer. `is_active` is false while conditions hide the field.',
  access: 'read',
  params: z.strictObject({ inspection_id: Uuid }),
  query: answerQuery,
  success: 200,
  response: z.array(AnswerRecord),
  list: true,
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:Query'],
  // And one for each hundred long texts that conditions ask for.
  calls: 4,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  answers.list(caller, params.inspection_id, query),
);
