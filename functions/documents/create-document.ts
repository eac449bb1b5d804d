import { createDocument } from '../../shared/files/uploads.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { multipart } from '../../shared/http/operation/forms.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Document, NewDocumentForm } from '../../shared/schemas/document.ts';

export const operation = defineOperation({
  id: 'createDocument',
  method: 'POST',
  path: '/documents',
  summary: 'Create a document',
  description:
    'Accepts files of up to 4 MB and of any type except executables, which are detected from their bytes. For files of up to 100 MB use `POST /documents/uploads`. Refused with `409` when the file does not fit in the storage of the organization.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  body: multipart(NewDocumentForm, {
    file: { required: true, maxBytes: 4 * 1024 * 1024, description: 'The file.' },
  }),
  success: 201,
  location: '/documents/{document_id}',
  response: Document,
});

export const handler = createHandler(operation, ({ body: { file, ...texts }, caller }) =>
  createDocument(caller, file, texts),
);
