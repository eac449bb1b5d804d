import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as shareLinks from '../../shared/reports/rows/share-links.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteMailQuestion',
  method: 'DELETE',
  path: '/mail-questions/{question_id}',
  summary: 'End a question to an address',
  description:
    'Its link stops working at once, for good, and a mail that waits to ask it is not sent. For a report, this revokes ' +
    'the share link that it is offered by. A setting that still names the address leads to another question after 30 days, ' +
    'a report that is sent to it after 7. `404` for a question that was answered.',
  access: 'write',
  app: { path: '/mail-questions/{question_id}', roles: ['admin'] },
  params: z.strictObject({ question_id: Uuid }),
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, ({ params, caller }) =>
  shareLinks.endQuestion(caller, params.question_id),
);
