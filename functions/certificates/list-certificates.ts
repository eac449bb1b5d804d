import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import { list } from '../../shared/inspections/certificates/lists.ts';
import { Certificate, certificateQuery } from '../../shared/schemas/certificates/certificate.ts';

export const operation = defineOperation({
  id: 'listCertificates',
  method: 'GET',
  path: '/certificates',
  summary: 'List certificates',
  description:
    'Newest first. With `expires_before` the order is another one, which its description names. A list by location, client account, kind or status can be a moment behind.',
  access: 'read',
  people: ['admin'],
  query: certificateQuery,
  success: 200,
  response: z.array(Certificate),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => list(caller, query));
