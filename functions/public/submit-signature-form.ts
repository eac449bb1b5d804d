import * as z from 'zod';
import { submitSignatureForm } from '../../shared/forms/signature/submit-form.ts';
import { webForm } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { HAS_WEB_FILES } from '../../shared/http/pages/web-files.ts';

/** Bytes: a drawing on a large screen, in Base64 and encoded for a URL. */
const MAX_BYTES = 500_000;

const Text = z.string().optional();

export const operation = defineOperation({
  id: 'submitSignatureForm',
  method: 'POST',
  path: '/w/{token}',
  summary: 'Sign as a witness',
  link: 'sign',
  visits: { perLink: 120, perAddress: 200 },
  namesItself: true,
  params: z.strictObject({ token: z.string() }),
  body: webForm(
    z.object({ stamp: Text, language: Text, next: Text, shown: Text, drawing: Text, photos: Text }),
    MAX_BYTES,
  ),
  success: 200,
  response: page('Thanks, or what is signed again with what is wrong.'),
  memory: 1_536,
  heavy: true,
  native: ['sharp'],
  ...HAS_WEB_FILES,
});

export const handler = createPageHandler(operation, ({ caller, target, token, language, body }) =>
  submitSignatureForm({ caller, target, token, language, sent: body }),
);
