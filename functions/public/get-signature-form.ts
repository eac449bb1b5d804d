import * as z from 'zod';
import { showSignatureForm } from '../../shared/forms/signature/show-form.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { page } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { HAS_WEB_FILES } from '../../shared/http/pages/web-files.ts';

const Text = z.string().max(2_000).optional();

export const operation = defineOperation({
  id: 'getSignatureForm',
  method: 'GET',
  path: '/w/{token}',
  summary: 'Show a witness what they sign',
  link: 'sign',
  visits: { perLink: 300, perAddress: 1_000 },
  params: z.strictObject({ token: z.string() }),
  query: z.object({ language: Text, stamp: Text, photos: Text }),
  success: 200,
  response: page('The section with its answers and the form to sign, in the reader’s language.'),
  memory: 1_024,
  native: ['sharp'],
  ...HAS_WEB_FILES,
});

export const handler = createPageHandler(operation, showSignatureForm);
