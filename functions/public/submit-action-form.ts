import * as z from 'zod';
import { submitActionForm } from '../../shared/forms/action/submit-form.ts';
import { webForm } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { HAS_WEB_FILES } from '../../shared/http/pages/web-files.ts';

/** Bytes: the longest note, encoded for a URL. */
const MAX_BYTES = 200_000;

const Text = z.string().optional();

export const operation = defineOperation({
  id: 'submitActionForm',
  method: 'POST',
  path: '/c/{token}',
  summary: 'Add evidence to a corrective action, or say that it is done, as its contact',
  link: 'action',
  visits: { perLink: 120, perAddress: 200 },
  namesItself: true,
  params: z.strictObject({ token: z.string() }),
  body: webForm(
    z.object({ stamp: Text, language: Text, next: Text, description: Text, photos: Text }),
    MAX_BYTES,
  ),
  success: 200,
  response: page('Thanks, or the form again with what is wrong.'),
  memory: 1_536,
  heavy: true,
  native: ['sharp'],
  ...HAS_WEB_FILES,
});

export const handler = createPageHandler(operation, ({ caller, target, token, language, body }) =>
  submitActionForm({ caller, target, token, language, sent: body }),
);
