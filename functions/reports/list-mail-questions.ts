import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as questions from '../../shared/organizations/addresses/questions.ts';
import { listQuery } from '../../shared/schemas/common.ts';
import { MailQuestion } from '../../shared/schemas/mail.ts';

export const operation = defineOperation({
  id: 'listMailQuestions',
  method: 'GET',
  path: '/mail-questions',
  summary: 'List the addresses that are asked whether they want mails',
  description:
    'Newest first: the questions that nobody has answered and no member has ended, with the offers of reports. An ' +
    'address that has never agreed gets a question first, in the service’s own words.',
  access: 'read',
  people: ['admin'],
  query: listQuery({}),
  success: 200,
  response: z.array(MailQuestion),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => questions.list(caller, query));
