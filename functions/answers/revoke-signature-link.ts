import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as signatureLinks from '../../shared/inspections/answers/signature-links.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'revokeSignatureLink',
  method: 'DELETE',
  path: '/inspections/{inspection_id}/signature-links/{signature_link_id}',
  summary: 'Revoke a signature link',
  description:
    'The link stops working at once, for good, and stays in the list. Revoking a link again changes nothing, nor does revoking one by which somebody has signed.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid, signature_link_id: Uuid }),
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, ({ params, caller }) =>
  signatureLinks.revoke(caller, params.inspection_id, params.signature_link_id),
);
