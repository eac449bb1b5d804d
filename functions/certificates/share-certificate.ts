import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as certificates from '../../shared/inspections/certificates/certificates.ts';
import { SharedCertificate } from '../../shared/schemas/certificates/certificate.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'shareCertificate',
  method: 'POST',
  path: '/certificates/{certificate_id}/share',
  summary: 'Make the link by which anyone reads a certificate',
  description:
    'Whoever has the link sees the certificate as it is then, with its page as a PDF. The link works until `POST …/unshare` ends it, or until this operation makes another one.',
  access: 'write',
  params: z.strictObject({ certificate_id: Uuid }),
  guarded: true,
  success: 200,
  response: SharedCertificate,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  certificates.share(caller, params.certificate_id, expectedVersion),
);
