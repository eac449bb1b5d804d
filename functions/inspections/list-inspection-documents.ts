import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/parts.ts';
import { listQuery, Uuid } from '../../shared/schemas/common.ts';
import { InspectionDocument } from '../../shared/schemas/inspections/parts.ts';

export const operation = defineOperation({
  id: 'listInspectionDocuments',
  method: 'GET',
  path: '/inspections/{inspection_id}/documents',
  summary: 'List the documents of an inspection',
  description:
    'The files of its start answers, answers and findings, and the attachments of its corrective actions: each once, with all places that show it, in the order in which they were uploaded. `GET /documents/{document_id}` downloads one.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(InspectionDocument),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  inspections.listDocuments(caller, params.inspection_id, query),
);
