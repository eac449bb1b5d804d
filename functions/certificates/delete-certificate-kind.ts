import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as kinds from '../../shared/inspections/certificates/kinds.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteCertificateKind',
  method: 'DELETE',
  path: '/certificate-kinds/{certificate_kind_id}',
  summary: 'Delete a certificate kind',
  description:
    'Refused with `409` while there are certificates of this kind; `is_active: false` lets it issue no more of them.',
  access: 'write',
  params: z.strictObject({ certificate_kind_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await kinds.remove(caller, params.certificate_kind_id, expectedVersion);
});
