import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as history from '../../shared/inspections/answers/history.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { FormerAnswer, formerAnswerQuery } from '../../shared/schemas/inspections/answer.ts';

export const operation = defineOperation({
  id: 'listAnswerHistory',
  method: 'GET',
  path: '/inspections/{inspection_id}/responses/history',
  summary: 'List the answers that others have replaced',
  description:
    'Every answer that was replaced or cleared before the inspection was completed, and every one that arrived after an answer that was given later. They are in the order of the ids of their fields, the oldest first, and stay until the inspection is deleted. What corrections have changed is in their revisions.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: formerAnswerQuery,
  success: 200,
  response: z.array(FormerAnswer),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  history.listFormer(caller, params.inspection_id, query),
);
