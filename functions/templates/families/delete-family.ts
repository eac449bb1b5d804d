import * as z from 'zod';
import { createHandler } from '../../../shared/http/handler.ts';
import { defineOperation } from '../../../shared/http/operation/operation.ts';
import { Uuid } from '../../../shared/schemas/common.ts';
import { remove } from '../../../shared/templates/families.ts';

export const operation = defineOperation({
  id: 'deleteFamily',
  method: 'DELETE',
  path: '/templates/families/{family_id}',
  summary: 'Delete a template family',
  description:
    'Also deletes all its versions and report layouts. Refused with `409` when inspections or schedules use the family; archive it instead.',
  access: 'write',
  params: z.strictObject({ family_id: Uuid }),
  guarded: true,
  success: 204,
  response: z.null(),
});

export const handler = createHandler(operation, async ({ params, caller, expectedVersion }) => {
  await remove(caller, params.family_id, expectedVersion);
});
