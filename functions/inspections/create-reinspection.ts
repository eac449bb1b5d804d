import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/reinspect.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Inspection, NewReinspection } from '../../shared/schemas/inspections/inspection.ts';

export const operation = defineOperation({
  id: 'createReinspection',
  method: 'POST',
  path: '/inspections/{inspection_id}/reinspection',
  summary: 'Inspect again',
  description: `Creates a scheduled inspection that inspects a completed one again, for the same client account at the same location, with the current requirements of the template family.

With \`scope\` \`failed\`, what failed is asked again, in the same instances of repeat sections: fields whose answers failed, fields with an open finding, the fields that depend on them, and fields that the template version asks differently. These have empty answer records with \`is_asked_again\`. All other answers are carried over with their notes, media and authors (\`is_carried_over\`): they count in the progress, in conditions and in the score, and saving another answer is refused with \`409\`. Questions that become required later can be answered too. Documents that are carried over are in use by both inspections. \`also_ask\` names fields that are asked beside what failed, and \`instances\` adds and removes instances of repeat sections. With \`scope\` \`all\`, everything is asked again.

When the re-inspection is completed, each open finding whose field now has an answer that has not failed and is not “not applicable” becomes resolved (\`resolved_by_inspection_id\`), whether it belongs to the first inspection or to one before it. Its corrective actions that are open or in_progress become pending_verification; one that requires evidence and has none stays as it is. Declining such an action later does not reopen the finding. A field that fails again leads to no second finding while the earlier one is open (\`earlier_finding_id\`). Findings of an archived inspection stay as they are, and corrections of the re-inspection resolve nothing.

Refused with \`409\` unless the inspection is completed, while a correction of it is open or awaits approval, when nothing has failed with \`scope\` \`failed\` and nothing is named to be asked, when a repeat section would have too few or too many instances, and when the template family is archived or has no published version. Several re-inspections of one inspection can exist at the same time. A report of a re-inspection shows the earlier answer beside each new one.`,
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid }),
  body: NewReinspection.prefault({}),
  success: 201,
  location: '/inspections/{inspection_id}',
  response: Inspection,
});

export const handler = createHandler(operation, ({ params, body, caller }) =>
  inspections.reinspect(caller, params.inspection_id, body),
);
