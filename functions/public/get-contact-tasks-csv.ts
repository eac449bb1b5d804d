import * as z from 'zod';
import { openTaskList } from '../../shared/forms/action/show-tasks.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { download } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { tasksFile } from '../../shared/reports/formats/tasks-csv.ts';

const Text = z.string().max(2_000).optional();

export const operation = defineOperation({
  id: 'getContactTasksCsv',
  method: 'GET',
  path: '/c/{token}/tasks/csv',
  summary: 'Get the open corrective actions of a contact as a table',
  link: 'action',
  visits: { perLink: 120, perAddress: 300 },
  params: z.strictObject({ token: z.string() }),
  query: z.object({ place: Text, from: Text, to: Text }),
  success: 200,
  response: download('A row for each action that the filters show.'),
});

export const handler = createPageHandler(operation, async (visit) => tasksFile(await openTaskList(visit)));
