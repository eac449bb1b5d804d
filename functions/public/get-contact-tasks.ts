import * as z from 'zod';
import { showTasks } from '../../shared/forms/action/show-tasks.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';

const Text = z.string().max(2_000).optional();

export const operation = defineOperation({
  id: 'getContactTasks',
  method: 'GET',
  path: '/c/{token}/tasks',
  summary: 'Show a contact outside the organization all of its open corrective actions',
  link: 'action',
  visits: { perLink: 300, perAddress: 1_000 },
  params: z.strictObject({ token: z.string() }),
  query: z.object({ language: Text, place: Text, from: Text, to: Text }),
  success: 200,
  response: page(
    'The open actions, filtered by place and due day, and the form that reports several as done.',
  ),
});

export const handler = createPageHandler(operation, showTasks);
