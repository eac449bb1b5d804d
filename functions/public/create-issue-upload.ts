import * as z from 'zod';
import { MAX_PHOTO_BYTES, MAX_UPLOADS, PHOTO_TYPES } from '../../shared/domain/issue-form/fields.ts';
import { webForm } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { forProgram } from '../../shared/http/operation/responses.ts';
import { createPageHandler } from '../../shared/http/page-handler.ts';
import { openPhotoUpload } from '../../shared/issue-form/open-upload.ts';

export const operation = defineOperation({
  id: 'createIssueUpload',
  method: 'POST',
  path: '/r/{token}/uploads',
  summary: 'Create an upload for a photo of an issue',
  link: 'issue',
  visits: { perLink: 3_000, perShare: 600, perAddress: 5_000 },
  params: z.strictObject({ token: z.string() }),
  body: webForm(
    z.strictObject({
      stamp: z.string().max(100),
      slot: z.coerce.number().int().min(0).lt(MAX_UPLOADS),
      size: z.coerce.number().int().min(1).max(MAX_PHOTO_BYTES),
      type: z.enum(PHOTO_TYPES),
    }),
  ),
  success: 200,
  response: forProgram('Where and with which headers the photo is to be PUT within 15 minutes.'),
  native: ['sharp'],
});

export const handler = createPageHandler(operation, ({ caller, target, body: { stamp, ...photo } }) =>
  openPhotoUpload(caller, target, stamp, photo),
);
