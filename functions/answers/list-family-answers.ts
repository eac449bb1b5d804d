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
    'The answers of all inspections of a template family, for a copy of them elsewhere, such as in a BI tool. Each row ' +
    'has all that the answer belongs to. Without `updated_since` all answers come, inspection by inspection, and at ' +
    'the end those that changed meanwhile. Follow the `Link` header until a page has none. A page may have few rows or ' +
    'none although more follow.\n\n' +
    'Then keep the greatest `recorded_at`, and send it as `updated_since` the next time. No change is ever missed, and ' +
    'those of the same moment come again. Changes are kept for 400 days: for an earlier time, all answers come.\n\n' +
    'When anything of an inspection changes, also its status or its place, all of its answers come again as they are ' +
    'then, because scores, results and hidden questions depend on other answers. Insert or replace the answers by ' +
    '`id`, in their order, and delete what a row of the kind `deleted` names. Names are those at the time of the ' +
    'request, and a new name alone is no change.',
  access: 'read',
  people: ['admin'],
  query: answerFeedQuery,
  success: 200,
  response: z.array(AnswerFeedRow),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => readFeed(caller, query));
