import * as z from 'zod';
import { HIDDEN_ID } from '../../shared/domain/hidden-id.ts';
import { submitTasks } from '../../shared/forms/action/submit-tasks.ts';
import { webForm } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';

/** Bytes: the longest note, encoded for a URL, and as many ids as one page shows. */
const MAX_BYTES = 300_000;

const Text = z.string().optional();
const Query = z.string().max(2_000).optional();

export const operation = defineOperation({
  id: 'submitContactTasks',
  method: 'POST',
  path: '/c/{token}/tasks',
  summary: 'Report several corrective actions as done, as their contact',
  link: 'action',
  visits: { perLink: 120, perAddress: 200 },
  params: z.strictObject({ token: z.string() }),
  query: z.object({ language: Query, place: Query, from: Query, to: Query }),
  body: webForm(
    z.object({
      stamp: Text,
      language: Text,
      next: Text,
      description: Text,
      task: z.array(z.string().regex(HIDDEN_ID)).optional(),
    }),
    MAX_BYTES,
  ),
  success: 200,
  response: page('Which of the actions were taken, and why the others were not.'),
});

export const handler = createPageHandler(operation, ({ body, ...visit }) =>
  submitTasks({ ...visit, sent: body }),
);
