import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/attachments.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Attachment, NewAttachment } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'createCorrectiveActionAttachment',
  method: 'POST',
  path: '/corrective-actions/{ca_id}/attachments',
  summary: 'Attach a document to a corrective action',
  description:
    'An attachment of stage `after` is evidence that the action was carried out. Refused with `409` when the action is verified or cancelled, or the inspection is archived.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ ca_id: Uuid }),
  body: NewAttachment,
  guarded: true,
  success: 201,
  response: Attachment,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  correctiveActions.attach(caller, params.ca_id, body, expectedVersion),
);
