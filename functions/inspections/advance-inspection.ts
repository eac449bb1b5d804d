import * as z from 'zod';
import * as inspections from '../../shared/db/inspections/inspections.ts';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Advance, Inspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'advanceInspection',
  method: 'POST',
  path: '/inspections/{inspection_id}/advance',
  summary: 'Take an inspection one step on',
  description: `Without a body it takes the one step forward:

- scheduled → in_progress.
- in_progress: a participant with a part that is not submitted submits it; with the last part the inspection moves on. Anyone else moves it on once no part is missing. On means pending_approval where approval is required, else pending_sign_off where sign-off is, else completed. What is missing (required or invalid answers, media, notes, parts) is \`409\`, counted, the first ten by name.
- pending_approval awaits a \`decision\`: \`approve\` moves it on, \`request_changes\` (with a \`comment\`) reopens the parts in_progress, \`reject\` archives it. Whoever had a part may not approve, and an API key may decide only where the template family allows that when the inspection is created: \`403\`. The approvers that are named are told; they do not keep an allowed key from deciding.
- pending_sign_off awaits \`sign_off\`; the last required signature completes it.`,
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid }),
  body: Advance.prefault({}),
  guarded: true,
  success: 200,
  response: Inspection,
  errors: [409],
  grants: ['table:GetItem', 'table:Query', 'table:UpdateItem', 'table:PutItem', 'table:DeleteItem'],
  calls: 6,
  example: { body: { decision: 'approve', comment: 'Well documented.' } },
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  inspections.advance(caller, params.inspection_id, body, expectedVersion),
);
