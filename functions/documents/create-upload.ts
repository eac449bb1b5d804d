import { MAX_OPEN_UPLOADS } from '../../shared/files/pending-uploads.ts';
import { openUpload } from '../../shared/files/uploads.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { NewUpload, Upload } from '../../shared/schemas/document.ts';

export const operation = defineOperation({
  id: 'createUpload',
  method: 'POST',
  path: '/documents/uploads',
  summary: 'Create an upload for a large file',
  description: `For files of up to 100 MB. PUT the file to \`url\` with exactly these \`headers\` before \`expires_at\`, then complete the upload within 23 hours. Refused with \`409\` while the organization has ${MAX_OPEN_UPLOADS} open uploads of the last day, or when its storage has no room for this file and those of all open uploads.`,
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  body: NewUpload,
  success: 201,
  response: Upload,
});

export const handler = createHandler(operation, ({ body, caller }) => openUpload(caller, body));
