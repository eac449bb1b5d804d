import * as z from 'zod';
import { deleteDocument } from '../../shared/files/document-files.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteDocument',
  method: 'DELETE',
  path: '/documents/{document_id}',
  summary: 'Delete a document',
  description: 'Refused with `409` while answers, findings or other resources use the document.',
  access: 'write',
  params: z.strictObject({ document_id: Uuid }),
  success: 204,
  response: z.null(),
  errors: [409],
});

export const handler = createHandler(operation, ({ params, caller }) =>
  deleteDocument(caller, params.document_id),
);
