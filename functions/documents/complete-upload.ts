import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Document, NewDocument } from '../../shared/schemas/document.ts';
import { completeUpload } from '../../shared/storage/uploads.ts';

export const operation = defineOperation({
  id: 'completeUpload',
  method: 'POST',
  path: '/documents/uploads/{upload_id}/complete',
  summary: 'Make a document of an uploaded file',
  description:
    'The document has the id of the upload. Refused with `409` while the file is not there whole, and with `422` when its bytes are those of an executable; another file needs an upload of its own.',
  access: 'write',
  params: z.strictObject({ upload_id: Uuid }),
  body: NewDocument,
  success: 201,
  response: Document,
  errors: [409],
  grants: ['table:GetItem', 'table:PutItem', 'table:DeleteItem', 'bucket:GetObject'],
  calls: 4,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  completeUpload(caller, params.upload_id, body),
);
