import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as certificates from '../../shared/inspections/certificates/certificates.ts';
import { Certificate } from '../../shared/schemas/certificates/certificate.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'getCertificate',
  method: 'GET',
  path: '/certificates/{certificate_id}',
  summary: 'Get a certificate',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ certificate_id: Uuid }),
  success: 200,
  response: Certificate,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  certificates.get(caller, params.certificate_id),
);
