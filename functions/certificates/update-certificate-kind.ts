import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as kinds from '../../shared/inspections/certificates/kinds.ts';
import {
  CertificateKind,
  CertificateKindChanges,
} from '../../shared/schemas/certificates/certificate-kind.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'updateCertificateKind',
  method: 'PATCH',
  path: '/certificate-kinds/{certificate_kind_id}',
  summary: 'Update a certificate kind',
  description: `${PATCH_DESCRIPTION} Certificates that were issued stay as they are.`,
  access: 'write',
  params: z.strictObject({ certificate_kind_id: Uuid }),
  body: CertificateKindChanges,
  success: 200,
  response: CertificateKind,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  kinds.update(caller, params.certificate_kind_id, body, expectedVersion),
);
