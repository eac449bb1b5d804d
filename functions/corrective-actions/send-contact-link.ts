import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/contact.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { CorrectiveAction } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'sendContactLink',
  method: 'POST',
  path: '/corrective-actions/{ca_id}/contact-link',
  summary: 'Mail the contact of a corrective action a new link',
  description:
    'The link opens a page with this action alone, on which the contact adds photos as evidence and says that the action is done. It works for 90 days; former links stop at once. A link is also mailed without this request when a contact with an email address is set, when the address changes, and when the action goes back to work. `contact_link` shows what became of the mail. Refused with `409` when the contact has no email address, when the action is neither open nor in_progress, and when the inspection is archived.',
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ ca_id: Uuid }),
  guarded: true,
  success: 202,
  location: '/corrective-actions/{ca_id}',
  response: CorrectiveAction,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  correctiveActions.sendContactLink(caller, params.ca_id, expectedVersion),
);
