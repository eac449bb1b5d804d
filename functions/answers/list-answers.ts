import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as answers from '../../shared/inspections/answers/lists.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { answerQuery, AnswerRecord } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'listAnswers',
  method: 'GET',
  path: '/inspections/{inspection_id}/responses',
  summary: 'List the answers of an inspection',
  description:
    'The list includes records that were cleared, and the results of calculated fields. Results are computed when they are read; their times are those of the last change of the inspection. `is_active` is false while conditions hide the field.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: answerQuery,
  success: 200,
  response: z.array(AnswerRecord),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  answers.list(caller, params.inspection_id, query),
);
