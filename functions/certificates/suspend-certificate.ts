import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as certificates from '../../shared/inspections/certificates/certificates.ts';
import { Certificate, CertificateStatusChange } from '../../shared/schemas/certificates/certificate.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'suspendCertificate',
  method: 'POST',
  path: '/certificates/{certificate_id}/suspend',
  summary: 'Suspend a certificate',
  description:
    'The certificate is not valid until it is reinstated. `409` for a certificate that somebody has suspended already, or that was revoked. Suspend a certificate that is suspended because of its inspection to keep it suspended when the inspection passes again.',
  access: 'write',
  params: z.strictObject({ certificate_id: Uuid }),
  body: CertificateStatusChange,
  success: 200,
  response: Certificate,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  certificates.suspend(caller, params.certificate_id, body.reason, expectedVersion),
);
