import { createHandler } from '../../shared/http/handler.ts';
import { multipart } from '../../shared/http/multipart.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Document, NewDocumentForm } from '../../shared/schemas/document.ts';
import { createDocument } from '../../shared/storage/uploads.ts';

export const operation = defineOperation({
  id: 'createDocument',
  method: 'POST',
  path: '/documents',
  summary: 'Create a document',
  description:
    'Any type of file but executables, by its bytes, up to 4 MB. Larger files, up to 100 MB, are stored through `POST /documents/uploads`.',
  access: 'write',
  body: multipart(NewDocumentForm, {
    file: { required: true, maxBytes: 4 * 1024 * 1024, description: 'The file.' },
  }),
  success: 201,
  response: Document,
  grants: ['table:GetItem', 'table:PutItem', 'bucket:PutObject', 'bucket:DeleteObject'],
  calls: 3,
});

export const handler = createHandler(operation, ({ body: { file, ...texts }, caller }) =>
  createDocument(caller, file, texts),
);
