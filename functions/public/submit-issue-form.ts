import * as z from 'zod';
import { submitForm } from '../../shared/forms/issue/submit-form.ts';
import { webForm } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { HAS_WEB_FILES } from '../../shared/http/pages/web-files.ts';

/** Bytes: the longest answers to twenty questions, encoded for a URL. */
const MAX_BYTES = 1_000_000;

export const operation = defineOperation({
  id: 'submitIssueForm',
  method: 'POST',
  path: '/r/{token}',
  summary: 'Report an issue by a public link',
  link: 'issue',
  visits: { perLink: 1_000, perAddress: 2_000, isShared: true },
  namesItself: true,
  params: z.strictObject({ token: z.string() }),
  // The category decides which fields there are.
  body: webForm(z.looseObject({}), MAX_BYTES),
  success: 200,
  response: page('Thanks with the number of the issue, or the form again with what is wrong.'),
  memory: 1_536,
  heavy: true,
  native: ['sharp'],
  ...HAS_WEB_FILES,
});

export const handler = createPageHandler(operation, ({ caller, target, token, address, language, body }) =>
  submitForm({ caller, target, token, address, language, sent: body }),
);
