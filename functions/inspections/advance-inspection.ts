import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/steps.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Advance, Inspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'advanceInspection',
  method: 'POST',
  path: '/inspections/{inspection_id}/advance',
  summary: 'Advance an inspection',
  description: `Takes the next step, which depends on the status:

- scheduled: moves to in_progress.
- in_progress: a participant who has not submitted their part submits it, and the last part submits the inspection. Anyone else submits the inspection when all parts are submitted. A submitted inspection moves to pending_approval if approval is required, otherwise to pending_sign_off if sign-off is required, otherwise to completed. Refused with \`409\` while required or valid answers, media, notes or parts are missing; the reply counts them and names the first ten, and \`GET …/blockers\` lists all.
- pending_approval: needs a \`decision\`. \`approve\` moves on to pending_sign_off or completed, \`request_changes\` (with a \`comment\`) reopens the parts and moves back to in_progress, and \`reject\` archives the inspection. Refused with \`403\` for a member who may not approve. An API key can decide for itself only if the template family allowed this when the inspection was created, and not at all where the family lets only people decide who have signed in. With \`four_eyes\` of the family, nobody can approve who had a part as a participant, or who has answered, submitted or changed anything of the inspection: directly, through a key, or by a key that they have made. A key that was used for the work cannot approve it for anybody.
- pending_sign_off: needs a \`sign_off\` or a \`decision\`. The last required signature completes the inspection. \`decline\` (with a \`comment\`) records that a person refuses to sign, and why. It counts like a signature, so the last one completes the inspection as well. \`request_changes\` (with a \`comment\`) leads back to in_progress, reopens the parts and drops the signatures that were given, which the activity keeps. A participant with the role signatory may request changes; others are held to the rules of pending_approval.

The completion of a re-inspection resolves the earlier findings that have passed in it; see \`POST …/reinspection\`.`,
  access: 'write',
  actsFor: ['admin', 'approver', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: Advance.prefault({}),
  guarded: true,
  success: 200,
  response: Inspection,
  example: { body: { decision: 'approve', comment: 'Well documented.' } },
});

export const handler = createHandler(operation, ({ params, body, caller, expectedVersion }) =>
  inspections.advance(caller, params.inspection_id, body, expectedVersion),
);
