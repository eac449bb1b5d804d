import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as correctiveActions from '../../shared/inspections/corrective-actions/corrective-actions.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { CorrectiveAction, CorrectiveActionChanges } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'updateCorrectiveAction',
  method: 'PATCH',
  path: '/corrective-actions/{ca_id}',
  summary: 'Update a corrective action',
  description: `${PATCH_DESCRIPTION}

\`status\` can change from open to in_progress to pending_verification, and from each of these to cancelled. \`completed_on_site\` takes an open action to verified at once. Separate operations verify and reopen the action. A change to pending_verification sets \`completed_by\`, \`completed_at\` and \`completion_note\`; with \`evidence_required\`, it needs an attachment of stage \`after\`. Refused with \`409\` for a status that cannot be reached, for an action that is verified or cancelled, and when the inspection is archived.`,
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ ca_id: Uuid }),
  body: CorrectiveActionChanges,
  example: { body: { status: 'pending_verification', completion_note: 'Tightened to 40 Nm.' } },
  success: 200,
  response: CorrectiveAction,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  correctiveActions.update(caller, params.ca_id, body, expectedVersion),
);
