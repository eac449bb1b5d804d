import * as z from 'zod';
import { completeUpload } from '../../shared/files/uploads.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Document, NewDocument } from '../../shared/schemas/document.ts';

export const operation = defineOperation({
  id: 'completeUpload',
  method: 'POST',
  path: '/documents/uploads/{upload_id}/complete',
  summary: 'Complete the upload of a file',
  description:
    'Creates a document with the id of the upload. Refused with `409` until the whole file is uploaded or while it does not fit in the storage of the organization, and with `422` when the file is an executable; create a new upload for another file.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ upload_id: Uuid }),
  body: NewDocument,
  success: 201,
  location: '/documents/{document_id}',
  response: Document,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  completeUpload(caller, params.upload_id, body),
);
