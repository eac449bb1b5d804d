import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as certificates from '../../shared/inspections/certificates/certificates.ts';
import { Certificate } from '../../shared/schemas/certificates/certificate.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'reinstateCertificate',
  method: 'POST',
  path: '/certificates/{certificate_id}/reinstate',
  summary: 'Reinstate a suspended certificate',
  description:
    'It is valid again until it expires. `409` unless the certificate is suspended and the result of its inspection is passed.',
  access: 'write',
  params: z.strictObject({ certificate_id: Uuid }),
  guarded: true,
  success: 200,
  response: Certificate,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  certificates.reinstate(caller, params.certificate_id, expectedVersion),
);
