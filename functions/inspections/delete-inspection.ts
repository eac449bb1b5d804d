import * as z from 'zod';
import { createHandler } from '../../shared/http/handler.ts';
import { defineOperation } from '../../shared/http/operation/operation.ts';
import * as inspections from '../../shared/inspections/deletion.ts';
import { Uuid } from '../../shared/schemas/common.ts';

export const operation = defineOperation({
  id: 'deleteInspection',
  method: 'DELETE',
  path: '/inspections/{inspection_id}',
  summary: 'Delete an inspection',
  description:
    'Possible in any status while the inspection holds no work: no answer, finding, corrective action, correction, document, report, reported issue or comment. Otherwise `409`, which counts what it holds: archive it instead. A cleared answer does not count as an answer, but its note counts as a comment.',
  access: 'write',
  params: z.strictObject({ inspection_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await inspections.remove(caller, params.inspection_id, expectedVersion);
});
