import * as z from 'zod';
import { notFound } from '../../shared/base/errors.ts';
import { PhotoToUpload, uploadOf } from '../../shared/forms/issue/open-upload.ts';
import { webForm } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { forProgram } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { openContactLink } from '../../shared/inspections/corrective-actions/contact.ts';

export const operation = defineOperation({
  id: 'createActionUpload',
  method: 'POST',
  path: '/c/{token}/uploads',
  summary: 'Create an upload for a photo of a corrective action’s contact',
  link: 'action',
  visits: { perLink: 600, perAddress: 300 },
  params: z.strictObject({ token: z.string() }),
  body: webForm(PhotoToUpload),
  success: 200,
  response: forProgram('Where and with which headers the photo is to be PUT within 15 minutes.'),
  native: ['sharp'],
});

export const handler = createPageHandler(operation, async ({ caller, target, body }) => {
  const { link, isClosed } = await openContactLink(caller, target);
  if (isClosed) throw notFound('link');
  return uploadOf(caller, link.form_secret, body);
});
