import * as z from 'zod';
import { downloadableDocument } from '../../shared/files/document-files.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { DownloadableDocument } from '../../shared/schemas/document.ts';

export const operation = defineOperation({
  id: 'getDocument',
  method: 'GET',
  path: '/documents/{document_id}',
  summary: 'Get a document',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ document_id: Uuid }),
  success: 200,
  response: DownloadableDocument,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  downloadableDocument(caller, params.document_id),
);
