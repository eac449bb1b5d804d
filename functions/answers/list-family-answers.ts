import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { readFeed } from '../../shared/inspections/answers/feed.ts';
import { answerFeedQuery, AnswerFeedRow } from '../../shared/schemas/inspections/answer-feed.ts';

export const operation = defineOperation({
  id: 'listFamilyAnswers',
  method: 'GET',
  path: '/responses',
  summary: 'List the answers to a template',
  description:
    'The answers of all inspections of a template family, for a copy elsewhere such as that of a BI tool: each row ' +
    'has all that it belongs to. Without `updated_since` all answers come, inspection by inspection, and at the end ' +
    'those that changed meanwhile. Follow the `Link` header until a page has none; a page may have few rows or none ' +
    'although more follow. Then keep the greatest `recorded_at`, and send it as `updated_since` next time: no change ' +
    'is ever missed, and those of the same moment come again. Whenever anything changes in an inspection, its status ' +
    'and its place included, all of its answers come again as they are then, because scores, results and hidden ' +
    'questions follow from other answers. Insert or replace the answers by `id`, in their order, and delete what a ' +
    'row of the kind `deleted` names. Changes are kept for 400 days: with an earlier time, all answers come. Names ' +
    'are those of the time of the request; a new name alone is no change.',
  access: 'read',
  people: ['admin'],
  query: answerFeedQuery,
  success: 200,
  response: z.array(AnswerFeedRow),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => readFeed(caller, query));
