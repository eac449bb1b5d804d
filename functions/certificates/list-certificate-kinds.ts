import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as kinds from '../../shared/inspections/certificates/kinds.ts';
import { CertificateKind, certificateKindQuery } from '../../shared/schemas/certificates/certificate-kind.ts';

export const operation = defineOperation({
  id: 'listCertificateKinds',
  method: 'GET',
  path: '/certificate-kinds',
  summary: 'List certificate kinds',
  access: 'read',
  people: ['admin'],
  query: certificateKindQuery,
  success: 200,
  response: z.array(CertificateKind),
  list: true,
});

export const handler = createHandler(operation, ({ query, caller }) => kinds.list(caller, query));
