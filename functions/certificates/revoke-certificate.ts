import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as certificates from '../../shared/inspections/certificates/certificates.ts';
import { Certificate, CertificateStatusChange } from '../../shared/schemas/certificates/certificate.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'revokeCertificate',
  method: 'POST',
  path: '/certificates/{certificate_id}/revoke',
  summary: 'Revoke a certificate',
  description:
    'Ends the certificate for good, also when it is suspended or has expired. Revoking it again changes nothing.',
  access: 'write',
  params: z.strictObject({ certificate_id: Uuid }),
  body: CertificateStatusChange,
  success: 200,
  response: Certificate,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  certificates.revoke(caller, params.certificate_id, body.reason, expectedVersion),
);
