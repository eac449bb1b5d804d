import * as z from 'zod';
import { openPhotoUpload, PhotoToUpload } from '../../shared/forms/issue/open-upload.ts';
import { webForm } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { forProgram } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';

export const operation = defineOperation({
  id: 'createIssueUpload',
  method: 'POST',
  path: '/r/{token}/uploads',
  summary: 'Create an upload for a photo of an issue',
  link: 'issue',
  visits: { perLink: 3_000, perAddress: 5_000, isShared: true },
  params: z.strictObject({ token: z.string() }),
  body: webForm(PhotoToUpload),
  success: 200,
  response: forProgram('Where and with which headers the photo is to be PUT within 15 minutes.'),
  native: ['sharp'],
});

export const handler = createPageHandler(operation, ({ caller, target, body }) =>
  openPhotoUpload(caller, target, body),
);
