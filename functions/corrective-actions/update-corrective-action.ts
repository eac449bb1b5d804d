import * as z from 'zod';
import * as correctiveActions from '../../shared/db/corrective-actions/corrective-actions.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { PATCH_DESCRIPTION, Uuid } from '../../shared/schemas/common.ts';
import { CorrectiveAction, CorrectiveActionChanges } from '../../shared/schemas/corrective-action.ts';

export const operation = defineOperation({
  id: 'updateCorrectiveAction',
  method: 'PATCH',
  path: '/corrective-actions/{ca_id}',
  summary: 'Update a corrective action',
  description: `${PATCH_DESCRIPTION}

\`status\` moves it: open → in_progress → pending_verification, and from each of these to cancelled. It is verified and reopened by operations of their own. Who completes it, moving it to pending_verification, is remembered with the time and \`completion_note\`; where \`evidence_required\`, an attachment of stage \`after\` has to be linked first. A step that is not open is \`409\`, as is an edit of what is verified or cancelled, and any change once the inspection is archived.`,
  access: 'write',
  params: z.strictObject({ ca_id: Uuid }),
  body: CorrectiveActionChanges,
  success: 200,
  response: CorrectiveAction,
  errors: [400, 409],
  grants: ['table:GetItem', 'table:BatchGetItem', 'table:PutItem', 'table:UpdateItem', 'table:DeleteItem'],
  calls: 4,
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  correctiveActions.update(caller, params.ca_id, body, expectedVersion),
);
