import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as kinds from '../../shared/inspections/certificates/kinds.ts';
import { CertificateKind, NewCertificateKind } from '../../shared/schemas/certificates/certificate-kind.ts';

export const operation = defineOperation({
  id: 'createCertificateKind',
  method: 'POST',
  path: '/certificate-kinds',
  summary: 'Create a certificate kind',
  access: 'write',
  body: NewCertificateKind,
  success: 201,
  location: '/certificate-kinds/{certificate_kind_id}',
  response: CertificateKind,
});

export const handler = createHandler(operation, ({ body, caller }) => kinds.create(caller, body));
