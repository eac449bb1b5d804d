import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as kinds from '../../shared/inspections/certificates/kinds.ts';
import { CertificateKind } from '../../shared/schemas/certificates/certificate-kind.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'getCertificateKind',
  method: 'GET',
  path: '/certificate-kinds/{certificate_kind_id}',
  summary: 'Get a certificate kind',
  access: 'read',
  people: ['admin'],
  params: z.strictObject({ certificate_kind_id: Uuid }),
  success: 200,
  response: CertificateKind,
});

export const handler = createHandler(operation, ({ params, caller }) =>
  kinds.get(caller, params.certificate_kind_id),
);
