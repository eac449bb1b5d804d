import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as corrections from '../../shared/inspections/corrections/corrections.ts';
import { Uuid } from '../../shared/schemas/common.ts';
import { Correction } from '../../shared/schemas/inspections/correction.ts';

export const operation = defineOperation({
  id: 'closeCorrection',
  method: 'POST',
  path: '/inspections/{inspection_id}/corrections/{correction_id}/close',
  summary: 'Close a correction',
  description:
    'The corrected answers take effect. Findings whose answer no longer fails, or whose field is hidden now, get `trigger_cleared`. Answers that fail now, or whose field is shown now, get findings. The score is computed again, and reports become stale.\n\nWhen fields of a re-inspection fail after all, the findings of earlier inspections that it had resolved are open again, and their actions go back to work with their due dates. A second finding of the same defect, in the re-inspection, is deleted if nobody has worked on it.\n\nWith `correction_mode` `reapprove` the correction first awaits a decision (`pending_approval`), and the approvers are notified. Its changes take effect once it is approved. The inspection stays `completed` in either case.\n\n`409` when the correction has ended, or when something required is missing, which the error names. Once closing has begun, the correction accepts no changes and cannot be discarded; if the request is interrupted, send it again to complete it.',
  access: 'write',
  actsFor: ['admin', 'inspector'],
  params: z.strictObject({ inspection_id: Uuid, correction_id: Uuid }),
  guarded: true,
  success: 200,
  response: Correction,
});

export const handler = createHandler(operation, ({ params, caller, expectedVersion }) =>
  corrections.close(caller, params.inspection_id, params.correction_id, expectedVersion),
);
