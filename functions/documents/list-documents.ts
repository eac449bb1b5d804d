import * as z from 'zod';
import * as documents from '../../shared/files/documents.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { Document, DocumentQuery } from '../../shared/schemas/document.ts';

export const operation = defineOperation({
  id: 'listDocuments',
  method: 'GET',
  path: '/documents',
  summary: 'List documents',
  description: 'In the order of creation.',
  access: 'read',
  people: ['admin'],
  query: DocumentQuery,
  success: 200,
  response: z.array(Document),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => documents.list(caller, query));
