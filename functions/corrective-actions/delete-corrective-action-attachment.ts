import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/attachments.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteCorrectiveActionAttachment',
  method: 'DELETE',
  path: '/corrective-actions/{ca_id}/attachments/{attachment_id}',
  summary: 'Delete an attachment of a corrective action',
  description:
    'The document itself is kept. Refused with `409` when the action is verified or cancelled or the inspection is archived, and for the last evidence of an action that requires it and is pending_verification.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ ca_id: Uuid, attachment_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await correctiveActions.detach(caller, params.ca_id, params.attachment_id, expectedVersion);
});
