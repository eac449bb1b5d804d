import * as z from 'zod';
import { showActionForm } from '../../shared/forms/action/show-form.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { HAS_WEB_FILES } from '../../shared/http/pages/web-files.ts';

const Text = z.string().max(2_000).optional();

export const operation = defineOperation({
  id: 'getActionForm',
  method: 'GET',
  path: '/c/{token}',
  summary: 'Show a corrective action to its contact outside the organization',
  link: 'action',
  visits: { perLink: 300, perAddress: 1_000 },
  params: z.strictObject({ token: z.string() }),
  query: z.object({ language: Text, stamp: Text, photos: Text }),
  success: 200,
  response: page(
    'The action and the form for evidence, in the reader’s language. It works without a program.',
  ),
  native: ['sharp'],
  ...HAS_WEB_FILES,
});

export const handler = createPageHandler(operation, showActionForm);
