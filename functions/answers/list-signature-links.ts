import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as signatureLinks from '../../shared/inspections/answers/signature-links.ts';
import { listQuery, Uuid } from '../../shared/schemas/common.ts';
import { SignatureLink } from '../../shared/schemas/inspections/signature-link.ts';

export const operation = defineOperation({
  id: 'listSignatureLinks',
  method: 'GET',
  path: '/inspections/{inspection_id}/signature-links',
  summary: 'List the signature links of an inspection',
  description: 'Newest first, without their URLs. A link is listed for 400 days after its end.',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ inspection_id: Uuid }),
  query: listQuery({}),
  success: 200,
  response: z.array(SignatureLink),
  list: true,
});

export const handler = createHandler(operation, ({ params, query, caller }) =>
  signatureLinks.list(caller, params.inspection_id, query),
);
