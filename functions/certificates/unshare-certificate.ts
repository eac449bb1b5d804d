import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as certificates from '../../shared/inspections/certificates/certificates.ts';
import { Certificate } from '../../shared/schemas/certificates/certificate.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'unshareCertificate',
  method: 'POST',
  path: '/certificates/{certificate_id}/unshare',
  summary: 'End the link by which anyone reads a certificate',
  description: 'Ends the link at once and for good. If there is no link, nothing changes.',
  access: 'write',
  params: z.strictObject({ certificate_id: Uuid }),
  guarded: true,
  success: 200,
  response: Certificate,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  certificates.unshare(caller, params.certificate_id, expectedVersion),
);
