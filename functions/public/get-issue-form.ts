import * as z from 'zod';
import { showForm } from '../../shared/forms/issue/show-form.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { HAS_WEB_FILES } from '../../shared/http/pages/web-files.ts';

const Text = z.string().max(2_000).optional();

export const operation = defineOperation({
  id: 'getIssueForm',
  method: 'GET',
  path: '/r/{token}',
  summary: 'Show the form by which anyone with the link reports an issue',
  link: 'issue',
  visits: { perLink: 2_000, perAddress: 1_500, isShared: true },
  namesItself: true,
  params: z.strictObject({ token: z.string() }),
  query: z.object({ language: Text, stamp: Text, photos: Text, about: Text }),
  success: 200,
  response: page('The form, in the reader’s language. It works without a program.'),
  native: ['sharp'],
  ...HAS_WEB_FILES,
});

export const handler = createPageHandler(operation, ({ query, ...visit }) => {
  const { language, stamp, photos, about } = query;
  return showForm({
    ...visit,
    query: {
      ...(language !== undefined && { language }),
      ...(stamp !== undefined && { stamp }),
      ...(photos !== undefined && { photos }),
      ...(about !== undefined && { about }),
    },
  });
});
